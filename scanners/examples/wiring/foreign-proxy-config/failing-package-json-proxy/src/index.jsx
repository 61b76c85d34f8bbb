import React, { useEffect, useState } from 'react'
import ReactDOM from 'react-dom/client'

function App() {
  const [workouts, setWorkouts] = useState([])
  useEffect(() => { fetch('/api/workouts').then((r) => r.json()).then(setWorkouts) }, [])
  return <ol>{workouts.map((w, i) => <li key={i}>{w.lift}: {w.kg}</li>)}</ol>
}

ReactDOM.createRoot(document.getElementById('root')).render(<App />)
