const table = document.querySelector('table')

for (const { room, day } of await (await fetch('/bookings')).json()) {
  const row = table.insertRow()
  row.insertCell().textContent = room
  row.insertCell().textContent = day
}
