const express = require('express')
const Database = require('better-sqlite3')

const db = new Database(process.env.DB || './data/labels.db')
db.exec('CREATE TABLE IF NOT EXISTS labels (text TEXT)')
const app = express()
app.get('/', (req, res) => res.send('<!doctype html><script>fetch("/api/labels")</script>'))
app.get('/api/labels', (req, res) => res.json(db.prepare('SELECT text FROM labels').all()))
app.listen(4421)
