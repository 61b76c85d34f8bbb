import { tickets } from './api'
import { hooks } from './hooks-client'

const table = document.querySelector('table')!
for (const ticket of await tickets()) table.insertRow().textContent = `${ticket.no} ${ticket.text}`
console.log(await hooks())
