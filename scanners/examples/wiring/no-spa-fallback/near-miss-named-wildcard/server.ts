import express from 'express'
import { join } from 'node:path'

const app = express()
app.get('/api/posts', (_req, res) => { res.json([{ slug: 'hello' }]) })
app.use(express.static(join(__dirname, 'out')))
app.get('/{*rest}', (_req, res) => { res.sendFile(join(__dirname, 'out', 'index.html')) })
app.listen(4223)
