const express = require('express')
const app = express()
app.get('/api/lists', (req, res) => res.json([['milk', 'eggs']]))
app.listen(4235)
