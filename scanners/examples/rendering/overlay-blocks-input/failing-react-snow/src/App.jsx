import { useState } from 'react'
import { Snow } from './Snow.jsx'

export default function App() {
  const [pairs, setPairs] = useState(0)
  return (
    <main className="shop">
      <h1>Ski rental</h1>
      <button className="rent" onClick={() => setPairs(pairs + 1)}>Rent a pair</button>
      <output>{pairs}</output>
      <Snow />
    </main>
  )
}
