import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const dataDir = process.env.PGLITE_DIR ?? 'server/data/pglite'
const db = await PGlite.create({ dataDir })

await db.exec(`CREATE TABLE IF NOT EXISTS questions (id SERIAL PRIMARY KEY, body TEXT)`)

const app = express()
app.get('/api/question', async (req, res) => {
  const result = await db.query('SELECT body FROM questions ORDER BY id DESC LIMIT 1')
  res.json(result.rows[0] ?? null)
})
app.listen(3821, () => console.log('server: 3821'))
