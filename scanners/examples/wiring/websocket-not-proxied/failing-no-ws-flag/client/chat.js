const protocol = window.location.protocol === 'https:' ? 'wss:' : 'ws:'
const socket = new WebSocket(`${protocol}//${window.location.host}/live`)
socket.onmessage = (event) => { document.getElementById('log').textContent += event.data + '\n' }

const rooms = await (await fetch('/api/rooms')).json()
document.getElementById('rooms').innerHTML = rooms.map((room) => `<li>${room}</li>`).join('')
