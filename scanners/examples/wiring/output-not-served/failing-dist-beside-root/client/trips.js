fetch('/api/trips').then((r) => r.json()).then((trips) => {
  document.querySelector('ul').innerHTML = trips.map((t) => `<li>${t.to}</li>`).join('')
})
