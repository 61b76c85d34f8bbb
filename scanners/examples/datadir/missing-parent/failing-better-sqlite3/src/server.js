const express = require('express')
const links = require('./links')

const app = express()
app.use(express.json())
app.use(express.static('public'))
app.get('/api/links', (req, res) => res.json(links.all()))
app.post('/api/links', (req, res) => res.status(201).json(links.add(req.body)))
app.listen(process.env.PORT || 4302)
