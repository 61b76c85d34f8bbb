import { PGlite } from '@electric-sql/pglite'

export const db = new PGlite('./data/pgdata')

export async function initSchema() {
  await db.exec(`
    CREATE TABLE IF NOT EXISTS posts (
      id SERIAL PRIMARY KEY,
      body TEXT NOT NULL,
      created_at TIMESTAMPTZ DEFAULT now()
    );
  `)
}
