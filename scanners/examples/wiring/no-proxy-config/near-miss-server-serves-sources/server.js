import express from 'express'
const app = express()
app.use(express.static('public'))
app.get('/api/moods', (req, res) => res.json(['calm']))
app.listen(4295, () => console.log('http://localhost:4295'))
