import express from 'express'
import cors from 'cors'
import { db, initSchema } from './db.js'

const app = express()
app.use(cors())
app.use(express.json())

app.get('/api/posts', async (req, res) => {
  const { rows } = await db.query('SELECT * FROM posts ORDER BY created_at DESC')
  res.json(rows)
})

await initSchema()
app.listen(4301, () => console.log('Server listening on 4301'))
