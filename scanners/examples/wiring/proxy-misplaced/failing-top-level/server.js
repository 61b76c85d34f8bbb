import express from 'express'
const app = express()
app.get('/api/alarms', (req, res) => res.json(['07:00']))
app.listen(4231)
