const base = import.meta.env.VITE_FAR || 'http://localhost:4466'
document.querySelector('p').textContent = await (await fetch(`${base}/glow`)).json()
