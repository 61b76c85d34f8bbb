import express from "express";
import { BookingRepository } from "./booking-repository";

const bookings = new BookingRepository("booking.sqlite");
const app = express();

app.use(express.json());
app.get("/api/bookings", (_req, res) => {
  res.json(bookings.all());
});
app.delete("/api/bookings/:id", (req, res) => {
  bookings.remove(Number(req.params.id));
  res.sendStatus(204);
});
app.listen(4812);
