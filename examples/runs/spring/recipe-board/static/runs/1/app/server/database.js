import { mkdir } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'

let instance = null

export async function getDb() {
  if (!instance) {
    await mkdir('./storage/pg', { recursive: true })
    instance = await PGlite.create({ dataDir: './storage/pg' })
    await instance.exec('CREATE TABLE IF NOT EXISTS recipe (id SERIAL PRIMARY KEY, name TEXT, tags TEXT[])')
  }
  return instance
}
