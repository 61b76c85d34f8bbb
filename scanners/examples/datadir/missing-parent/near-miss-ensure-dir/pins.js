const path = require('path')
const express = require('express')
const fse = require('fs-extra')
const Database = require('better-sqlite3')

class PinStore {
  constructor(root) {
    this.folder = path.join(root, 'var', 'pins')
    fse.ensureDirSync(this.folder)
    this.db = new Database(path.join(this.folder, 'pins.db'))
    this.db.exec('CREATE TABLE IF NOT EXISTS pins (title TEXT)')
  }

  all() {
    return this.db.prepare('SELECT title FROM pins').all()
  }
}

const store = new PinStore(__dirname)
const app = express()
app.get('/', (req, res) => res.send('<!doctype html><script>fetch("/api/pins")</script>'))
app.get('/api/pins', (req, res) => res.json(store.all()))
app.listen(4423)
