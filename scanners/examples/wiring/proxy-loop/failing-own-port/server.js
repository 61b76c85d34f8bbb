import express from 'express'
const app = express()
app.get('/api/tides', (req, res) => res.json({ high: '10:31' }))
app.listen(4271)
