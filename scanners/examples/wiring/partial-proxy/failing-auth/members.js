import express, { Router } from 'express'

const auth = Router().post('/login', (req, res) => { res.json({ token: 't' }) })
const app = express()
app.use(express.json())
app.use('/auth', auth)
app.get('/api/profile', (req, res) => { res.json({ name: 'Jo' }) })
app.listen(4292)
