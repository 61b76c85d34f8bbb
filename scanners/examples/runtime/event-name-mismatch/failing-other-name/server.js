import express from 'express'

const app = express()
app.get('/live', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  res.write('event: score\ndata: 1\n\n')
})
app.listen(4895)
