import express from 'express'
import { UPLOADS } from './paths.js'
import { db } from './db.js'

const app = express()
app.use(express.json({ limit: '5mb' }))
app.use('/uploads', express.static(UPLOADS))

app.get('/api/recipes', async (req, res) => {
  const { rows } = await db.query('SELECT * FROM recipes')
  res.json(rows)
})

app.listen(3807)
