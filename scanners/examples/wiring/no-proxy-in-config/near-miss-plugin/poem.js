document.querySelector('p').textContent = (await fetch('/api/lines').then((r) => r.json())).join()
