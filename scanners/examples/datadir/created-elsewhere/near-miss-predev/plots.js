document.querySelector('p').textContent = (await fetch('/api/plots').then((r) => r.json())).length
