import cors from 'cors'
import express from 'express'

const app = express()
app.use(cors())
app.get('/api/stream', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  res.write('data: 1\n\n')
})
app.listen(4898)
