const found = await fetch('/api/found').then((r) => r.json())
const missing = await fetch('/api/missing')
document.querySelector('p').textContent = `${found.found} ${missing.status}`
