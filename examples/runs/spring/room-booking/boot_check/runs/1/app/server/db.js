import { PGlite } from '@electric-sql/pglite'
import { fileURLToPath } from 'node:url'

const location = fileURLToPath(new URL('../.db/rooms', import.meta.url))

export async function openDb() {
  const db = new PGlite(location)
  await db.exec(`
    CREATE TABLE IF NOT EXISTS rooms (id SERIAL PRIMARY KEY, name TEXT);
    CREATE TABLE IF NOT EXISTS bookings (id SERIAL PRIMARY KEY, room_id INT, starts TIMESTAMPTZ, ends TIMESTAMPTZ);
  `)
  return db
}
