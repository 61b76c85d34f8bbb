const { home, away } = await fetch('/api/scores').then((r) => r.json())
document.querySelector('output').value = `${home}:${away}`
