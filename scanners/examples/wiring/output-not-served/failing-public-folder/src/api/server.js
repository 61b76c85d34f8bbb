const path = require('path')
const express = require('express')

const app = express()
app.use(express.static(path.resolve('public')))
app.get('/api/stats', (req, res) => { res.json({ visits: 42 }) })
app.listen(4212)
