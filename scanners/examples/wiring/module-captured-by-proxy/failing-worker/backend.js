const express = require('express')
const changes = []
const app = express()
app.use(express.json())
app.get('/sync/changes', (req, res) => { res.json(changes) })
app.post('/sync/changes', (req, res) => { changes.push(req.body); res.status(204).end() })
app.listen(4112)
