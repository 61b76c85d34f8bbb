import os from 'node:os'
import path from 'node:path'
import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite(path.join(os.homedir(), '.home-poll', 'pg'))
await db.exec('CREATE TABLE IF NOT EXISTS answers (answer TEXT, at TIMESTAMPTZ DEFAULT now())')

const app = express()
app.use(express.json())
app.get('/api/poll', async (req, res) => {
  const { rows } = await db.query('SELECT answer, count(*)::int AS n FROM answers GROUP BY answer')
  res.json({ question: 'Lunch?', answers: rows })
})
app.post('/api/poll', async (req, res) => {
  await db.query('INSERT INTO answers (answer) VALUES ($1)', [req.body.answer])
  res.status(201).end()
})
app.listen(3819)
