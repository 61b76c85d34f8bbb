import express from 'express'

const app = express()
app.get('/api/books', (req, res) => res.json(['Momo', 'Emil']))
app.listen(4104)
