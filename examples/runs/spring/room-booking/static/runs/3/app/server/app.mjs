import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import express from 'express'
import { PGlite } from '@electric-sql/pglite'
import { settings } from './settings.mjs'

await mkdir(dirname(settings.database), { recursive: true })
const db = await PGlite.create(settings.database)
await db.exec('CREATE TABLE IF NOT EXISTS bookings (room TEXT, day DATE)')

const app = express()
app.get('/bookings', async (req, res) => res.json((await db.query('SELECT room, day FROM bookings')).rows))
app.listen(settings.port)
