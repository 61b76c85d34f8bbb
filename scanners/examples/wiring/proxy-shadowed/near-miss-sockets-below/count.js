import { io } from 'socket.io-client'
io({ path: '/api/socket.io' })
document.querySelector('p').textContent = await (await fetch('/api/count')).json()
