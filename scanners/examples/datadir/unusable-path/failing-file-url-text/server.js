import express from 'express'
import Database from 'better-sqlite3'

const db = new Database(new URL('./data/words.db', import.meta.url).href)
db.exec('CREATE TABLE IF NOT EXISTS words (word TEXT)')

const app = express()
app.use(express.static('public'))
app.get('/api/words', (req, res) => res.json(db.prepare('SELECT word FROM words').all()))
app.listen(4331)
