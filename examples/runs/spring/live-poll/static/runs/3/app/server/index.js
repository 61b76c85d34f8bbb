import express from 'express'
import { PGlite } from '@electric-sql/pglite'
import { API_PORT } from './port.js'

const db = new PGlite('data/live/hands')
await db.waitReady
await db.exec('CREATE TABLE IF NOT EXISTS hands (side TEXT)')

const app = express()
app.get('/api/results', async (req, res) => {
  res.json((await db.query('SELECT side, count(*)::int AS n FROM hands GROUP BY side')).rows)
})
app.listen(API_PORT)
