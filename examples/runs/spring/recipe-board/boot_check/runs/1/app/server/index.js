import express from 'express'
import cors from 'cors'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import { db, initDb } from './db.js'

const app = express()
const PORT = process.env.PORT || 3801

app.use(cors())
app.use(express.json())

// List recipes, quickest first
app.get('/api/recipes', async (req, res) => {
  const { rows } = await db.query('SELECT * FROM recipes ORDER BY minutes')
  res.json(rows)
})

app.post('/api/recipes', async (req, res) => {
  const { title, minutes } = req.body
  if (!title) return res.status(400).json({ error: 'title is required' })
  const { rows } = await db.query(
    'INSERT INTO recipes (title, minutes) VALUES ($1, $2) RETURNING *',
    [title, Number(minutes) || 0],
  )
  res.status(201).json(rows[0])
})

app.delete('/api/recipes/:id', async (req, res) => {
  await db.query('DELETE FROM recipes WHERE id = $1', [req.params.id])
  res.status(204).end()
})

if (process.env.NODE_ENV === 'production') {
  const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), '../client/dist')
  app.use(express.static(dist))
  app.get('*', (req, res) => res.sendFile(path.join(dist, 'index.html')))
}

await initDb()
app.listen(PORT, () => console.log(`Recipe API listening on http://localhost:${PORT}`))
