import { createRoot } from 'react-dom/client'
import { Week } from './Week'

const runs = [{ day: '2025-03-02', km: 12 }, { day: '2025-03-09', km: 18 }]

function Plan() {
  const first = Math.min(...runs.map((run) => new Date(run.day).getTime()))
  return (
    <main>
      <h1>Plan</h1>
      <Week start={first} />
    </main>
  )
}

createRoot(document.getElementById('root')!).render(<Plan />)
