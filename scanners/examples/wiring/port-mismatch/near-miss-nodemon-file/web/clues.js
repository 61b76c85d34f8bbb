document.querySelector('ol').append(...(await fetch('/api/clues').then((r) => r.json())))
