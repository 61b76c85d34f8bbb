import { createServer } from 'node:http'
import express from 'express'
import { WebSocketServer } from 'ws'

const app = express()
app.get('/api/cursor', (request, response) => { response.json({ x: 0, y: 0 }) })

const server = createServer(app)
const sockets = new WebSocketServer({ noServer: true })
server.on('upgrade', (request, socket, head) => {
  if (!request.url.startsWith('/api/ws')) return socket.destroy()
  sockets.handleUpgrade(request, socket, head, (client) => client.send('hello'))
})
server.listen(4202)
