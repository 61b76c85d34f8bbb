import { PORT } from './shared.js'

const base = `${window.location.protocol}//${window.location.hostname}:${PORT}`
const { next } = await fetch(base + '/api/bins').then((r) => r.json())
document.querySelector('p').textContent = `Next: ${next}`
