const API = process.env.VITE_API || 'http://localhost:4283'

const films = await fetch(`${API}/films`).then((r) => r.json())
document.querySelector('ul').append(...films)
