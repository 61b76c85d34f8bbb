document.querySelector('p').textContent = await fetch('/api/bids').then((r) => r.json())
