import express from 'express'

const { API_PORT = 4132 } = process.env
const app = express()
app.get('/api/words', (req, res) => { res.json([['Haus', 'house']]) })
app.listen(API_PORT)
