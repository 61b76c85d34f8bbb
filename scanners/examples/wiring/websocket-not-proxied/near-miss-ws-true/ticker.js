import express from 'express'
import { WebSocketServer } from 'ws'

const app = express()
app.get('/api/price', (_, res) => res.json({ ABC: 12.5 }))
const server = app.listen(4203)
const wss = new WebSocketServer({ server })
wss.on('connection', (ws) => setInterval(() => ws.send(String(Math.random())), 1000))
