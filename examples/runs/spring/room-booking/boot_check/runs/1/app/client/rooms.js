const list = document.getElementById('rooms')

fetch('/api/rooms')
  .then((res) => res.json())
  .then((rooms) => {
    list.innerHTML = rooms.map((room) => `<li data-id="${room.id}">${room.name}</li>`).join('')
  })
