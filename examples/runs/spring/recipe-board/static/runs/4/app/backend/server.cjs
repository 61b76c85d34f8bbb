const fs = require("node:fs");
const path = require("node:path");
const express = require("express");

const FILE = path.join(__dirname, "recipes.data.json");
const app = express();
app.use(express.json());

function read() {
  return fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, "utf8")) : [];
}

app.get("/api/recipes", (req, res) => {
  res.json(read());
});

app.post("/api/recipes", (req, res) => {
  const recipes = read().concat({ ...req.body, id: Date.now() });
  fs.writeFileSync(FILE, JSON.stringify(recipes, null, 2));
  res.status(201).json(recipes);
});

app.listen(4808);
