import express from 'express'

const app = express()
app.get('/api/birds', (req, res) => res.json([]))
app.listen(4851)
