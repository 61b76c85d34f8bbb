import express from 'express'

const app = express()
app.get('/api/pens', (req, res) => res.json([]))
app.get('*', (req, res) => res.status(404).end())
app.listen(4881)
