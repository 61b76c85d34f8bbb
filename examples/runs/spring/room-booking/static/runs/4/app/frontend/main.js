async function start() {
  const response = await fetch("/api/rooms");
  const rooms = await response.json();
  document.getElementById("rooms").textContent = rooms.map((room) => room.name).join(", ");
}

start();
