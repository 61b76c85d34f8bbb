const express = require('express')
const path = require('path')

const app = express()
app.use(express.static(path.join(__dirname, '../client/dist')))
app.get('/api/notes', (req, res) => res.json([{ id: 3, title: 'Third' }]))
app.listen(4221)
