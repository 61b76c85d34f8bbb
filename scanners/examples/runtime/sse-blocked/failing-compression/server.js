import compression from 'compression'
import express from 'express'

const app = express()
app.use(compression())
app.get('/ticks', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  setInterval(() => res.write(`data: ${Date.now()}\n\n`), 1000)
})
app.listen(4893)
