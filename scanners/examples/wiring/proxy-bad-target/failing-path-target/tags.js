const tags = await fetch('/api/tags').then((r) => r.json())
document.querySelector('p').textContent = tags.join(' ')
