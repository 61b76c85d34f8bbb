import express from 'express'
import { PGlite } from '@electric-sql/pglite'
import { resolve } from 'node:path'

const db = new PGlite(resolve(process.cwd(), 'data/pg'))

async function main(): Promise<void> {
  await db.exec('create table if not exists members (name text)')
  const app = express()
  app.get('/api/members', async (_req, res) => { res.json((await db.query('select name from members')).rows) })
  app.listen(4311)
}

main().catch((error) => { console.error(error); process.exit(1) })
