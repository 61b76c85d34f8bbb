import express from 'express'
const app = express()
app.get('/api/lamps', (req, res) => res.json({ hall: true }))
app.listen(4213, () => console.log('lamps'))
