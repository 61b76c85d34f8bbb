import express from 'express'
const app = express()
app.get('/api/polls', (req, res) => { res.json([]) })
app.listen(4244)
