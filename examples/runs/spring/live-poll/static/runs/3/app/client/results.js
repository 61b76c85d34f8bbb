const results = await fetch('/api/results').then((res) => res.json())
document.querySelector('p').textContent = results.map((r) => `${r.side} ${r.n}`).join(', ') || 'No hands yet'
