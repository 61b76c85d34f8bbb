const express = require('express');
const sqlite3 = require('sqlite3').verbose();
const config = require('./config');

const db = new sqlite3.Database(config.dbFile, (err) => {
  if (err) throw err;
});

db.serialize(() => {
  db.run('CREATE TABLE IF NOT EXISTS quotes (text TEXT)');
});

const app = express();
app.get('/', (req, res) => res.sendFile(__dirname + '/index.html'));
app.get('/api/quotes', (req, res) => {
  db.all('SELECT text FROM quotes', (err, rows) => (err ? res.status(500).json({ error: err.message }) : res.json(rows)));
});
app.listen(config.port);
