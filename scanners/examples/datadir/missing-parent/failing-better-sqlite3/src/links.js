const path = require('path')
const Database = require('better-sqlite3')

const DB_PATH = path.join(__dirname, '..', 'database', 'links.sqlite')
const db = new Database(DB_PATH)
db.pragma('journal_mode = WAL')
db.exec('CREATE TABLE IF NOT EXISTS links (id INTEGER PRIMARY KEY, url TEXT)')

module.exports = {
  all: () => db.prepare('SELECT * FROM links').all(),
  add: ({ url }) => ({ id: db.prepare('INSERT INTO links (url) VALUES (?)').run(url).lastInsertRowid, url }),
}
