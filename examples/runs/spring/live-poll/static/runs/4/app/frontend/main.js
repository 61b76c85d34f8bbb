const totals = document.getElementById("totals");

fetch("/votes")
  .then((response) => response.json())
  .then((rows) => {
    totals.textContent = rows.map((row) => row.choice + ": " + row.total).join(", ");
  });
