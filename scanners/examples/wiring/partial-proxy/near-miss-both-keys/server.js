import express from 'express'
const app = express()
app.use('/files', express.static('files'))
app.get('/api/recipes', (req, res) => res.json(['soup']))
app.listen(4293)
