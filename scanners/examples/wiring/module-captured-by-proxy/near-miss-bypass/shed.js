import express from 'express'
const app = express()
app.get('/api/tools', (req, res) => res.json(['saw']))
app.listen(4405)
