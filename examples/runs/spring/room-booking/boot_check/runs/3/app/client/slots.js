import { getJson } from './http.js'

const slots = await getJson('/api/slots')
document.getElementById('slots').innerHTML = slots.map(({ hour, who }) => `<li>${hour}:00 ${who ?? 'free'}</li>`).join('')
