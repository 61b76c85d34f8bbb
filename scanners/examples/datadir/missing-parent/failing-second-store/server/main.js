import express from 'express'
import { db } from './db.js'
import { keep } from './files.js'

const app = express()
app.use(express.json())
app.get('/', (req, res) => { res.send('<!doctype html><script>fetch("/api/docs")</script>') })
app.get('/api/docs', (req, res) => { res.json(db.prepare('SELECT name FROM docs').all()) })
app.post('/api/docs', async (req, res) => {
  await keep(req.body.name, req.body.text)
  db.prepare('INSERT INTO docs VALUES (?)').run(req.body.name)
  res.status(201).json({})
})
app.listen(4422)
