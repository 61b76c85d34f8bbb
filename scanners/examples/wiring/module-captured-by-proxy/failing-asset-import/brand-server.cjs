const express = require('express')
const app = express()
app.get('/brand/name', (req, res) => { res.json({ name: 'Acme' }) })
app.listen(4442)
