const express = require('express')
const app = express()
app.get('/api/rates', (req, res) => res.json({ EUR: 1.08 }))
app.listen(4243)
