const express = require("express");
const Database = require("better-sqlite3");
const path = require("path");

const db = new Database(path.join(__dirname, "rooms.db"));
db.exec("CREATE TABLE IF NOT EXISTS rooms (name TEXT PRIMARY KEY, seats INTEGER)");

const app = express();
app.get("/api/rooms", (req, res) => {
  res.json(db.prepare("SELECT name, seats FROM rooms").all());
});
app.listen(4814, () => console.log("backend on 4814"));
