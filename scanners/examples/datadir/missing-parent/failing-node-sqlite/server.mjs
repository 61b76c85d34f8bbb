import express from 'express'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'

const file = join(import.meta.dirname, 'var', 'lib', 'counts.db')
const db = new DatabaseSync(file)
db.exec('CREATE TABLE IF NOT EXISTS visits (page TEXT, at TEXT)')

const app = express()
app.use(express.static('static'))
app.get('/counts', (req, res) => {
  db.prepare('INSERT INTO visits VALUES (?, ?)').run('/', new Date().toISOString())
  res.json(db.prepare('SELECT count(*) AS visits FROM visits').get())
})
app.listen(4303)
