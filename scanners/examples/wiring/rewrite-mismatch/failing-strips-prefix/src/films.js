const films = await fetch('/api/films').then((r) => r.json())
document.getElementById('films').textContent = films.map((f) => `${f.title} ${'*'.repeat(f.stars)}`).join('\n')
