const [first] = await fetch('/api/colors').then((r) => r.json())
document.body.style.background = first
