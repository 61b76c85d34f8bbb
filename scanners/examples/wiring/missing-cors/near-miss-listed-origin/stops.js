const [stops, me] = await Promise.all([
  fetch('http://localhost:4174/public/stops').then((r) => r.json()),
  fetch('/api/me').then((r) => r.json()),
])
document.querySelector('ul').append(...stops.map((stop) => (stop === me.home ? `* ${stop}` : stop)))
