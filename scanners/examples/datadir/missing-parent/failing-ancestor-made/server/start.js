import { mkdir } from 'node:fs/promises'
import express from 'express'
import { PGlite } from '@electric-sql/pglite'
import { STATE, WALL } from './paths.js'

await mkdir(STATE, { recursive: true })
const db = await PGlite.create({ dataDir: WALL })
await db.exec('CREATE TABLE IF NOT EXISTS photos (name TEXT)')

const app = express()
app.get('/api/photos', async (req, res) => { res.json((await db.query('SELECT name FROM photos')).rows) })
app.listen(4307)
