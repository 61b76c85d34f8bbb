import { PGlite } from '@electric-sql/pglite'
import { DATABASE } from './paths.js'

export const db = new PGlite(DATABASE)

await db.exec('CREATE TABLE IF NOT EXISTS recipes (id SERIAL PRIMARY KEY, title TEXT, photo TEXT)')
