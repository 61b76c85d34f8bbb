const { theme } = await fetch('/theme/current').then((r) => r.json())
document.querySelector('p').textContent = theme
