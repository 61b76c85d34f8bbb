const express = require('express')
const db = require('./db')

async function start() {
  await db.exec('CREATE TABLE IF NOT EXISTS teams (name TEXT)')
  const app = express()
  app.get('/', (req, res) => res.send('<!doctype html><script>fetch("/api/teams")</script>'))
  app.get('/api/teams', async (req, res) => res.json((await db.query('SELECT name FROM teams')).rows))
  app.listen(4332)
}

start()
