import express from 'express'
import { createServer } from 'vite'

const app = express()
const vite = await createServer({ server: { middlewareMode: true } })
app.get('/api/found', (req, res) => { res.json({ found: true }) })
app.use(vite.middlewares)
app.listen(4296)
