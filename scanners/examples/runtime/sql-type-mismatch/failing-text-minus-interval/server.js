import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = await PGlite.create()
await db.exec('CREATE TABLE tasks (id serial PRIMARY KEY, due text)')
const app = express()
app.get('/soon', async (req, res) => {
  const { rows } = await db.query("SELECT id FROM tasks WHERE now() > due - interval '1 day'")
  res.json(rows)
})
app.listen(4887)
