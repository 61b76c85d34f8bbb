import express from 'express'
import { getStore } from './store.js'

const app = express()
app.get('/', (req, res) => { res.send('<!doctype html><script>fetch("/api/seeds")</script>') })
app.get('/api/seeds', async (req, res) => {
  const store = await getStore()
  res.json((await store.query('SELECT name FROM seeds')).rows)
})
app.listen(4445)
