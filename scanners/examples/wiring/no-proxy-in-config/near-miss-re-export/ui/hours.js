document.querySelector('p').textContent = await (await fetch('/api/hours')).json()
