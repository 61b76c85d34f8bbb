const express = require('express')

const app = express()
app.get('/times', (req, res) => res.json([]))
app.listen(4831)
