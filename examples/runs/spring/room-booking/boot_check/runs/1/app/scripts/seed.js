import fs from 'node:fs'
import { openDb } from '../server/db.js'

fs.mkdirSync('.db', { recursive: true })
const db = await openDb()
for (const name of ['Atrium', 'Library', 'Studio']) {
  await db.query('INSERT INTO rooms (name) VALUES ($1)', [name])
}
await db.close()
console.log('Seeded 3 rooms')
