import express from 'express'
const app = express()
app.get('/api/fonts', (req, res) => { res.json(['Inter']) })
app.listen(4234)
