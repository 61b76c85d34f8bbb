const [name] = await fetch('/api/recipes').then((r) => r.json())
document.querySelector('pre').textContent = await fetch(`/files/${name}.txt`).then((r) => r.text())
