import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = await PGlite.create('storage/db/plots')
await db.exec('create table if not exists plots (no int)')
const app = express()
app.get('/api/plots', async (req, res) => res.json((await db.query('select no from plots')).rows))
app.listen(4323)
