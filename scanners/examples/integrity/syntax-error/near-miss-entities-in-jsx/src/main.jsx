import { createRoot } from 'react-dom/client'

const Badge = () => <b>&#128172; talk & listen &rarr; now</b>
createRoot(document.getElementById('root')).render(<Badge />)
