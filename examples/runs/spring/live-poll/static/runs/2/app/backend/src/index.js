require("dotenv").config();

const express = require("express");
const { createDatabase } = require("./create-database");

const port = parseInt(process.env.POLL_PORT || "4899", 10);
const database = createDatabase(process.env.POLL_DB || "backend/var/lib/polls.db");
const app = express();

app.get("/api/polls", (req, res) => {
  res.json(database.prepare("SELECT * FROM polls").all());
});

app.listen(port);
