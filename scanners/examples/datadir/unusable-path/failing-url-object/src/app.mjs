import express from 'express'
import Database from 'better-sqlite3'
import { place } from './place.mjs'

const db = new Database(place)
db.exec('CREATE TABLE IF NOT EXISTS items (name TEXT)')
const app = express()
app.get('/', (req, res) => { res.send('<!doctype html><script>fetch("/items")</script>') })
app.get('/items', (req, res) => { res.json(db.prepare('SELECT name FROM items').all()) })
app.listen(4333)
