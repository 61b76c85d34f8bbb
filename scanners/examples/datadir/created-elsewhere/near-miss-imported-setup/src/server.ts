import { RUN } from './folders.js'
import { PGlite } from '@electric-sql/pglite'
import express from 'express'

const db = new PGlite({ dataDir: `${RUN}/pg` })
await db.waitReady
await db.exec('CREATE TABLE IF NOT EXISTS scores (points INT)')

express()
  .get('/', (_req, res) => { res.send('<!doctype html><script type="module">await fetch("/scores")</script>') })
  .get('/scores', async (_req, res) => { res.json((await db.query('SELECT points FROM scores')).rows) })
  .listen(4325)
