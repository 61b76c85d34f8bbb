import express from 'express'
const app = express()
app.get('/api/leads', (req, res) => res.json([{ company: 'Acme' }]))
app.listen(4261)
