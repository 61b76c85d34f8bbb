import http from 'node:http'
import express from 'express'
import { Server } from 'socket.io'
const app = express()
app.get('/api/count', (request, response) => { response.json(3) })
const server = http.createServer(app)
new Server(server, { path: '/api/socket.io' })
server.listen(4463)
