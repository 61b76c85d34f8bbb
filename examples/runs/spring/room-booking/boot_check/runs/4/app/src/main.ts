import { fetchBookings } from "./api";

fetchBookings().then((bookings) => {
  const host = document.getElementById("bookings")!;
  for (const booking of bookings) {
    const line = document.createElement("div");
    line.textContent = `${booking.room} ${booking.begins}`;
    host.appendChild(line);
  }
});
