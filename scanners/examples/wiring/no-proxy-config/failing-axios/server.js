import express from 'express'
const app = express()
app.get('/api/meters', (req, res) => res.json([{ kwh: 12 }]))
app.listen(4431)
