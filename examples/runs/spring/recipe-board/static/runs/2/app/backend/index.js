const express = require("express");
const cors = require("cors");
const { open } = require("./db");

const app = express();
const db = open();

app.use(cors());
app.use(express.json());

app.get("/recipes", (req, res) => {
  const rows = db.prepare("SELECT * FROM recipes").all();
  res.json(rows);
});

app.listen(4806, () => {
  console.log("Listening on 4806");
});
