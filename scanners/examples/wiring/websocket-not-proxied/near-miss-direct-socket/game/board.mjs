const socket = new WebSocket('ws://localhost:4204/game')
socket.onmessage = ({ data }) => { document.title = `You are ${data}` }
const { waiting } = await fetch('/api/players').then((r) => r.json())
document.querySelector('p').textContent = `${waiting} waiting`
