const express = require('express')
const app = express()
app.get('/here', (req, res) => { res.json({ lat: 1, lon: 2 }) })
app.listen(4269)
