import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import express from 'express'

const lite = new DatabaseSync(new URL('./stores/lite.db', import.meta.url))
const pg = new PGlite('file://./stores/pg')
lite.exec('CREATE TABLE IF NOT EXISTS a (x)')
await pg.exec('CREATE TABLE IF NOT EXISTS b (x int)')

const app = express()
app.get('/', (req, res) => { res.send('<!doctype html><script>fetch("/both")</script>') })
app.get('/both', async (req, res) => {
  res.json([lite.prepare('SELECT * FROM a').all(), (await pg.query('SELECT * FROM b')).rows])
})
app.listen(4335)
