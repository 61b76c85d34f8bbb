const http = require('http')
const express = require('express')
const WebSocket = require('ws')

const app = express()
app.get('/api/rooms', (req, res) => res.json(['general', 'random']))

const server = http.createServer(app)
const wss = new WebSocket.Server({ server, path: '/live' })

wss.on('connection', (socket) => {
  socket.send(JSON.stringify({ type: 'welcome' }))
  socket.on('message', (data) => wss.clients.forEach((client) => client.send(String(data))))
})

server.listen(4201, () => console.log('chat on 4201'))
