import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import './log.css'

function Filters({ open }) {
  return (
    <aside className="filters" hidden={!open}>
      <label><input type="checkbox" /> Owls only</label>
    </aside>
  )
}

function Log() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button className="toggle" onClick={() => setOpen(!open)}>Filters</button>
      <Filters open={open} />
    </>
  )
}

const root = createRoot(document.getElementById('root'))
root.render(<StrictMode><Log /></StrictMode>)
