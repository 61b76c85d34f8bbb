"use strict";

const express = require("express");
const { recipesRouter } = require("./recipes.router");

const PORT = Number(process.env.PORT) || 4801;
const app = express();

app.use(express.json());
app.use("/api/recipes", recipesRouter);

app.use(function (err, req, res, next) {
  console.error(err);
  res.status(500).json({ error: "Internal error" });
});

app.listen(PORT, function () {
  console.log("backend: " + PORT);
});
