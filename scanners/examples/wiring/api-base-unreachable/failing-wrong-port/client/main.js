import { API_BASE_URL } from './config.js'

fetch(`${API_BASE_URL}/pets`)
  .then((r) => r.json())
  .then((pets) => { document.getElementById('pets').textContent = pets.map((p) => p.name).join() })
