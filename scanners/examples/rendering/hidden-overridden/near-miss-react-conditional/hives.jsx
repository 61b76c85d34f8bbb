import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import './hives.css'

function Hives() {
  const [open, setOpen] = useState(false)
  return (
    <div className="hives">
      <button className="more" onClick={() => setOpen(true)}>More</button>
      <p className="tip" hidden={!open}>Feed in October.</p>
      {open && <ul className="list"><li>Hive 1</li></ul>}
    </div>
  )
}

createRoot(document.getElementById('root')).render(<Hives />)
