import { fileURLToPath } from 'node:url'
import express from 'express'
import Database from 'better-sqlite3'

const file = fileURLToPath(new URL('./ledger/coins.db', import.meta.url))
const db = new Database(file)
db.exec('CREATE TABLE IF NOT EXISTS coins (name TEXT)')
const app = express()
app.use(express.static('ledger/page'))
app.get('/api/coins', (req, res) => res.json(db.prepare('SELECT name FROM coins').all()))
app.listen(4334)
