import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const folder = path.join(import.meta.dirname, 'data')
if (!existsSync(folder)) mkdirSync(folder)

const db = new PGlite(path.join(folder, 'polls'))
await db.exec('CREATE TABLE IF NOT EXISTS polls (id SERIAL PRIMARY KEY, question TEXT, votes JSONB DEFAULT \'{}\')')

export const polls = {
  list: async () => (await db.query('SELECT * FROM polls ORDER BY id')).rows,
  vote: async (id, option) =>
    (await db.query(
      "UPDATE polls SET votes = jsonb_set(votes, ARRAY[$2], (COALESCE((votes->>$2)::int, 0) + 1)::text::jsonb) WHERE id = $1 RETURNING *",
      [id, option],
    )).rows[0],
}
