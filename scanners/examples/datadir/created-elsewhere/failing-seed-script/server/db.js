import Database from 'better-sqlite3'

export const open = (file = 'db/files/recipes.db') => {
  const db = new Database(file)
  db.exec('CREATE TABLE IF NOT EXISTS recipes (name TEXT)')
  return db
}
