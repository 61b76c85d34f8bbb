import { existsSync, mkdirSync } from 'node:fs'
import express from 'express'
import Database from 'better-sqlite3'

for (const folder of ['state', 'state/live']) {
  if (!existsSync(folder)) mkdirSync(folder)
}
const db = new Database('state/live/x.db')
db.exec('CREATE TABLE IF NOT EXISTS x (y TEXT)')

const app = express()
app.get('/', (req, res) => { res.send('<!doctype html><script>fetch("/api/x")</script>') })
app.get('/api/x', (req, res) => { res.json(db.prepare('SELECT y FROM x').all()) })
app.listen(4444)
