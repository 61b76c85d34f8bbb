"use strict";

const express = require("express");
const db = require("./database");

const recipesRouter = express.Router();

recipesRouter.get("/", function (req, res) {
  res.json(db.prepare("SELECT id, title, minutes FROM recipes ORDER BY minutes").all());
});

recipesRouter.post("/", function (req, res) {
  const title = String(req.body.title || "").trim();
  if (title === "") {
    return res.status(422).json({ error: "title is missing" });
  }
  const info = db.prepare("INSERT INTO recipes (title, minutes) VALUES (?, ?)").run(title, Number(req.body.minutes) || 0);
  return res.status(201).json({ id: info.lastInsertRowid, title: title });
});

module.exports = { recipesRouter };
