const { visits } = await fetch('/api/stats').then((r) => r.json())
document.querySelector('b').textContent = visits
