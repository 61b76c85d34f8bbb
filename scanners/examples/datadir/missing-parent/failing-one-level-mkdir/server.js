const fs = require('fs')
const path = require('path')
const express = require('express')
const Database = require('better-sqlite3')

const folder = path.join(__dirname, 'db', 'live')
if (!fs.existsSync(folder)) fs.mkdirSync(folder)
const db = new Database(path.join(folder, 'x.db'))

db.exec('CREATE TABLE IF NOT EXISTS x (y TEXT)')
const app = express()
app.get('/', (req, res) => res.send('<!doctype html><script>fetch("/api/x")</script>'))
app.get('/api/x', (req, res) => res.json(db.prepare('SELECT y FROM x').all()))
app.listen(4443)
