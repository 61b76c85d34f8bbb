import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite()
await db.exec('CREATE TABLE slots (hour INT PRIMARY KEY, who TEXT)')
for (let hour = 9; hour < 17; hour += 1) await db.query('INSERT INTO slots (hour) VALUES ($1)', [hour])

const app = express()
app.use(express.json())
app.get('/api/slots', async (req, res) => {
  res.json((await db.query('SELECT * FROM slots ORDER BY hour')).rows)
})
app.patch('/api/slots/:hour', async (req, res) => {
  await db.query('UPDATE slots SET who = $1 WHERE hour = $2', [req.body.who, req.params.hour])
  res.status(204).end()
})
app.listen(3811)
