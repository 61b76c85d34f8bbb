const path = require("path");
const express = require("express");
const Database = require("better-sqlite3");

const db = new Database("bookings.db");
db.exec("CREATE TABLE IF NOT EXISTS bookings (id INTEGER PRIMARY KEY, room TEXT, day TEXT, who TEXT)");

const app = express();
app.use(express.json());
app.use(express.static(path.join(__dirname, "public")));

const ROOMS = ["Blue", "Green", "Red"];

app.get("/api/rooms", (req, res) => {
  const taken = db.prepare("SELECT room, day, who FROM bookings").all();
  res.json(ROOMS.map((room) => ({ room, bookings: taken.filter((booking) => booking.room === room) })));
});

app.post("/api/bookings", (req, res) => {
  const { room, day, who } = req.body;
  const exists = db.prepare("SELECT 1 FROM bookings WHERE room = ? AND day = ?").get(room, day);
  if (exists) {
    return res.status(409).json({ error: "The room is taken" });
  }
  db.prepare("INSERT INTO bookings (room, day, who) VALUES (?, ?, ?)").run(room, day, who);
  res.status(201).json({ room, day, who });
});

app.listen(process.env.PORT || 4810, () => console.log("ready"));
