import express from 'express'

const app = express()
app.get('/tools/:id', (req, res, next) => (req.params.id === 'stats' ? next() : res.json({ id: req.params.id })))
app.get('/tools/stats', (req, res) => res.json({ count: 0 }))
app.listen(4886)
