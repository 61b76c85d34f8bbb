fetch('/api/menu').then(async (r) => {
  for (const { dish, price } of await r.json()) document.querySelector('table').insertRow().textContent = dish + ' ' + price
})
