import fs from 'node:fs'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const dataDir = path.resolve('server', '.data', 'pglite')
fs.mkdirSync(path.dirname(dataDir), { recursive: true })

export const db = new PGlite(dataDir)

export async function initDb() {
  await db.exec(`
    CREATE TABLE IF NOT EXISTS recipes (
      id SERIAL PRIMARY KEY,
      title TEXT NOT NULL,
      minutes INTEGER NOT NULL DEFAULT 0
    )
  `)
}
