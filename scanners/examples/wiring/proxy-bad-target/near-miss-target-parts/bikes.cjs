const express = require('express')
const app = express()
app.get('/api/bikes', (req, res) => res.json([{ id: 'A1' }]))
app.listen(4245)
