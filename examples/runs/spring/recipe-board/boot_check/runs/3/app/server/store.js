import { PGlite } from '@electric-sql/pglite'

const DATA_DIR = process.env.DATA_DIR || './data/recipes'

export async function openStore(dir = DATA_DIR) {
  const pg = await PGlite.create(dir)
  await pg.exec('CREATE TABLE IF NOT EXISTS recipes (id SERIAL PRIMARY KEY, title TEXT, starred BOOLEAN DEFAULT false)')
  return {
    all: async () => (await pg.query('SELECT * FROM recipes ORDER BY starred DESC, title')).rows,
    star: async (id) => (await pg.query('UPDATE recipes SET starred = NOT starred WHERE id = $1 RETURNING *', [id])).rows[0],
  }
}
