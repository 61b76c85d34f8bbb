import { readFileSync } from 'node:fs'
import express from 'express'

const { api } = JSON.parse(readFileSync(new URL('../../ports.json', import.meta.url), 'utf8'))
const app = express()
app.get('/api/rides', (req, res) => res.json([{ from: 'Gent', to: 'Brugge' }]))
app.listen(api)
