import cors from 'cors'
import express from 'express'
import { getDb } from './database.js'

const app = express()
app.use(cors(), express.json())

app.get('/api/recipes', async (req, res) => {
  const db = await getDb()
  const result = await db.query('SELECT id, name, tags FROM recipe ORDER BY id')
  res.json(result.rows)
})

app.listen(3805, () => {
  console.log('Server ready on 3805')
})
