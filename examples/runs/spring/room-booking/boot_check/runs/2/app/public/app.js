(function () {
  "use strict";

  function draw(rooms) {
    var table = document.getElementById("rooms");
    rooms.forEach(function (entry) {
      table.insertRow().textContent = entry.room + ": " + entry.bookings.length;
    });
  }

  fetch("/api/rooms")
    .then(function (response) {
      return response.json();
    })
    .then(draw);
})();
