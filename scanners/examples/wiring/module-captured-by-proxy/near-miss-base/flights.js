import express from 'express'
const app = express()
app.get('/api/flights', (req, res) => { res.json(['LX 12']) })
app.listen(4403)
