import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite()
await db.exec('CREATE TABLE notes (body text)')
const app = express()
app.post('/notes', express.json(), async (req, res) => {
  await db.query('INSERT INTO notes (body) VALUES (?)', [req.body.text])
  res.end()
})
app.listen(4891)
