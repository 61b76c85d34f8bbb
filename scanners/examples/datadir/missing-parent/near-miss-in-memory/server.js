import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite('memory://')
await db.exec('create table rooms (code text)')
const app = express()
app.get('/api/rooms', async (req, res) => res.json((await db.query('select * from rooms')).rows))
app.listen(4313)
