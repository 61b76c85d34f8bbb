import { useEffect, useState } from 'react'

export default function App() {
  const [cards, setCards] = useState([])

  useEffect(() => {
    fetch('/api/cards')
      .then((res) => res.json())
      .then(setCards)
  }, [])

  return (
    <ul>
      {cards.map((card) => (
        <li key={card.id}>{card.title}</li>
      ))}
    </ul>
  )
}
