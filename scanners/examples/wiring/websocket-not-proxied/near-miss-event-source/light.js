import express from 'express'
const app = express()
app.get('/api/state', (req, res) => { res.json({ green: true }) })
app.get('/api/stream', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
  res.write('data: {"green":true}\n\n')
})
app.listen(4412)
