const fs = require("fs");
const path = require("path");
const Database = require("better-sqlite3");

const FILE = path.resolve(__dirname, "var", "db", "recipes.sqlite");

exports.open = function open() {
  const folder = path.dirname(FILE);
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(folder, { recursive: true });
  }
  const db = new Database(FILE);
  db.exec("CREATE TABLE IF NOT EXISTS recipes (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT)");
  return db;
};
