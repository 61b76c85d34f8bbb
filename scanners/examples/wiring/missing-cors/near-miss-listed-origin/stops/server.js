import express from 'express'
import cors from 'cors'

const ALLOWED = ['https://stops.example', 'http://localhost:5274']
const app = express()
app.use('/public', cors({ origin: ALLOWED }))
app.get('/public/stops', (req, res) => { res.json(['Market']) })
app.get('/api/me', (req, res) => { res.json({ home: 'Market' }) })
app.listen(4174)
