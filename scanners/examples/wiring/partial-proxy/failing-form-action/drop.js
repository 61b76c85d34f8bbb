import express from 'express'
const app = express()
app.get('/api/files', (req, res) => { res.json([]) })
app.post('/upload', (req, res) => { res.redirect('/') })
app.listen(4434)
