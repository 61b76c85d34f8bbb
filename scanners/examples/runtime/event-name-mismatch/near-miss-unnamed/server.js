import express from 'express'

const app = express()
app.get('/live', (req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  res.write('data: 1\n\n')
})
app.listen(4896)
