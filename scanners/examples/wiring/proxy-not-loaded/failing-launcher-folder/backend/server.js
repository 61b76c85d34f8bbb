const express = require('express')
const app = express()
app.get('/api/v1/plants', (req, res) => res.json([{ name: 'Monstera', watered: '2024-05-01' }]))
app.listen(4103)
