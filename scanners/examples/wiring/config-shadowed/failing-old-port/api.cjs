const express = require('express')
const app = express()
app.get('/api/meals', (req, res) => { res.json(['Ramen']) })
app.listen(4262)
