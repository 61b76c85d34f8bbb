import express from 'express'
import { tooLong } from '../shared/rules.js'

const limits = { text: 140 }
const app = express()
app.use(express.json())
app.get('/shared/limits', (req, res) => res.json(limits))
app.post('/shared/check', (req, res) => res.json({ ok: !tooLong(req.body.text, limits) }))
app.listen(4404)
