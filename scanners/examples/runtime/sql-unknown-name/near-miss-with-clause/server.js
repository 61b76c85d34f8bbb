import express from 'express'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite()
await db.exec(`CREATE TABLE IF NOT EXISTS purchases (id serial, total int)`)
express().get('/sum', async (req, res) => res.json(await db.query('WITH recent AS (SELECT total FROM purchases LIMIT 5) SELECT sum(total) FROM recent'))).listen(4890)
