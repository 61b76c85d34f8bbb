import { mkdirSync } from 'node:fs'
import { open } from '../server/db.js'

mkdirSync('db/files', { recursive: true })
const db = open()
db.prepare('INSERT INTO recipes VALUES (?)').run('Soup')
console.log('seeded')
