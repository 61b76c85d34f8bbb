import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import styles from './kennel.module.css'

function Dialog({ children, onClose }) {
  return (
    <>
      <div className={styles.backdrop} />
      <div className={styles.dialog} role="dialog">
        {children}
        <button onClick={onClose}>Close</button>
      </div>
    </>
  )
}

function App() {
  const [open, setOpen] = useState(false)
  return (
    <div>
      <button id="book" onClick={() => setOpen(true)}>Book a place</button>
      {open && <Dialog onClose={() => setOpen(false)}><p>Booked.</p></Dialog>}
    </div>
  )
}

createRoot(document.getElementById('app')).render(<App />)
