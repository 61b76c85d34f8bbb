const fs = require("fs");
const express = require("express");
const { PORT_FILE } = require("./port-file.cjs");

const rooms = [{ name: "North", seats: 4 }, { name: "South", seats: 12 }];
const app = express();

app.get("/api/rooms", (req, res) => {
  res.json(rooms);
});

const server = app.listen(0, () => {
  fs.writeFileSync(PORT_FILE, String(server.address().port));
});
