import express from 'express'
const app = express()
app.get('/v1/api/tags', (req, res) => { res.json(['css']) })
app.listen(4242)
