import { createServer } from "node:http";
import Database from "better-sqlite3";
import express from "express";
import { WebSocketServer } from "ws";
import { BACKEND_PORT } from "../../ports.mjs";

const db = new Database("./polls.sqlite3");
db.exec("CREATE TABLE IF NOT EXISTS polls (id INTEGER PRIMARY KEY, question TEXT)");

const app = express();
app.get("/api/polls", (_req, res) => {
  res.json(db.prepare("SELECT * FROM polls").all());
});

const server = createServer(app);
const sockets = new WebSocketServer({ server, path: "/live" });
sockets.on("connection", (socket) => {
  socket.send(JSON.stringify({ type: "hello" }));
});

server.listen(BACKEND_PORT);
