const { pong } = await fetch('/api/ping').then((r) => r.json())
const here = await fetch('/api/geo/here').then((r) => r.json())
document.querySelector('p').textContent = pong && Object.values(here).join()
