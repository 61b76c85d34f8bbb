import { fileURLToPath } from 'node:url'
import express from 'express'

const site = fileURLToPath(new URL('../../site/dist/', import.meta.url))
const app = express()
app.get('/api/teams', (req, res) => { res.json(['Blues', 'Reds']) })
app.use(express.static(site))
app.listen(4215)
