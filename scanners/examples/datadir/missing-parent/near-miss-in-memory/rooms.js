document.querySelector('p').textContent = (await fetch('/api/rooms').then((r) => r.json())).length
