const path = require('node:path')
const express = require('express')

const dist = path.join(__dirname, '..', 'dist')
const app = express()
app.get('/api/trees', (req, res) => res.json([{ name: 'oak' }]))
app.use(express.static(dist))
app.get('*', (req, res) => res.sendFile('index.html', { root: dist }))
app.listen(process.env.PORT || 4214)
