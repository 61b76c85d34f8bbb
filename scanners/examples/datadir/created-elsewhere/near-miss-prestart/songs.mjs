import express from 'express'
import { PGlite } from '@electric-sql/pglite'
import { DATA } from './data-folder.mjs'

const db = await PGlite.create(DATA + 'songs')
await db.exec('CREATE TABLE IF NOT EXISTS songs (title TEXT)')
const app = express()
app.get('/', (req, res) => { res.send('<!doctype html><script>fetch("/api/songs")</script>') })
app.get('/api/songs', async (req, res) => { res.json((await db.query('SELECT title FROM songs')).rows) })
app.listen(4424)
