import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'

const here = path.dirname(fileURLToPath(import.meta.url))
const file = process.env.DATABASE_FILE ?? path.join(here, '../var/data/tasks.db')

export function openDatabase() {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const db = new Database(file)
  db.exec('CREATE TABLE IF NOT EXISTS tasks (id INTEGER PRIMARY KEY, text TEXT)')
  return db
}
