"use strict";

const path = require("path");
const Database = require("better-sqlite3");

const FILE = path.join(__dirname, "..", "storage", "recipes.db");

const db = new Database(FILE);
db.pragma("foreign_keys = ON");
db.exec("CREATE TABLE IF NOT EXISTS recipes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, minutes INTEGER)");

module.exports = db;
