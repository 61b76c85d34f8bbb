const { mkdirSync } = require("fs");
const { dirname } = require("path");
const Database = require("better-sqlite3");

function createDatabase(file) {
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file);
  database.exec("CREATE TABLE IF NOT EXISTS polls (id INTEGER PRIMARY KEY, title TEXT)");
  return database;
}

module.exports = { createDatabase };
