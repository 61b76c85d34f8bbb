import { parseArgs } from 'node:util'
import express from 'express'

const { values } = parseArgs({ options: { port: { type: 'string', default: '4499' } } })
const app = express()
app.get('/api/queue', (req, res) => { res.json([]) })
app.listen(Number(values.port))
