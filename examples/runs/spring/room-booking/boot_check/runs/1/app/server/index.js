import express from 'express'
import { openDb } from './db.js'

const db = await openDb()
const app = express()
app.use(express.json())

app.get('/api/rooms', async (req, res) => {
  const rooms = await db.query('SELECT * FROM rooms ORDER BY name')
  res.json(rooms.rows)
})

app.post('/api/rooms/:id/bookings', async (req, res) => {
  const { starts, ends } = req.body
  const clash = await db.query(
    'SELECT 1 FROM bookings WHERE room_id = $1 AND starts < $3 AND ends > $2',
    [req.params.id, starts, ends],
  )
  if (clash.rows.length) return res.status(409).json({ error: 'already booked' })
  await db.query('INSERT INTO bookings (room_id, starts, ends) VALUES ($1, $2, $3)', [req.params.id, starts, ends])
  res.status(201).end()
})

app.listen(3809, () => console.log('http://localhost:3809'))
