import { client } from './client.js'

const { data } = await client.get('/meters')
document.querySelector('ul').textContent = Array.isArray(data) ? data.map((m) => m.kwh).join() : 'No readings'
