import { loadRooms } from "./rooms-client.js";

loadRooms().then((rooms) => {
  const list = document.querySelector(".rooms");
  list.innerHTML = rooms.map((room) => `<li>${room.name} (${room.seats})</li>`).join("");
});
