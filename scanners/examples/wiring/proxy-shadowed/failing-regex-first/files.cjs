const express = require('express')
const app = express()
app.get('/api/files/:id', (req, res) => { res.json({ id: req.params.id }) })
app.listen(4254)
