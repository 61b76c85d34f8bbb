import Database from 'better-sqlite3'
export const db = new Database(new URL('./docs.db', import.meta.url).pathname)
db.exec('CREATE TABLE IF NOT EXISTS docs (name TEXT)')
