const express = require("express");
const Database = require("better-sqlite3");

const db = new Database(require("path").join(__dirname, "votes.db"));
db.exec("CREATE TABLE IF NOT EXISTS votes (choice TEXT)");

const app = express();
const PORT = process.env.PORT || 4824;

app.use(express.json());
app.get("/votes", (req, res) => {
  res.json(db.prepare("SELECT choice, count(*) AS total FROM votes GROUP BY choice").all());
});
app.post("/votes", (req, res) => {
  db.prepare("INSERT INTO votes (choice) VALUES (?)").run(req.body.choice);
  res.sendStatus(201);
});

app.listen(PORT, () => console.log("votes on " + PORT));
