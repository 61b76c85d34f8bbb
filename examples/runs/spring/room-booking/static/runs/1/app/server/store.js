import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const base = join(process.cwd(), 'tmp', 'state')

export async function prepareStore() {
  mkdirSync(base, { recursive: true })
  const pg = new PGlite(`file://${join(base, 'desks')}`)
  await pg.exec('CREATE TABLE IF NOT EXISTS desks (id INT PRIMARY KEY, by TEXT)')
  await pg.exec('INSERT INTO desks (id) VALUES (1), (2) ON CONFLICT DO NOTHING')
  return {
    desks: async () => (await pg.query('SELECT id, by FROM desks ORDER BY id')).rows,
    book: async (id, by) => (await pg.query('UPDATE desks SET by = $2 WHERE id = $1 RETURNING *', [id, by])).rows[0],
  }
}
