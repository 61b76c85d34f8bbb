import cors from 'cors'
import express from 'express'

const app = express()
app.use(cors({ origin: 'http://localhost:3000' }))
app.get('/votes', (_req, res) => { res.json({ yes: 4, no: 1 }) })
app.listen(4172)
