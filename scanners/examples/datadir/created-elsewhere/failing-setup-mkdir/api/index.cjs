const path = require('path')
const express = require('express')
const { PGlite } = require('@electric-sql/pglite')

const root = path.join(__dirname, '..')
const location = 'file://' + path.join(root, '.local', 'cards', 'pg')

async function main() {
  const db = await PGlite.create(location)
  await db.exec('create table if not exists cards (front text, back text)')
  const app = express()
  app.get('/api/cards', async (req, res) => { res.json((await db.query('select * from cards')).rows) })
  app.listen(4322)
}

main()
