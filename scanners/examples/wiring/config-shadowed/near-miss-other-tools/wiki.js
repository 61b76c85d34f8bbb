document.querySelector('nav').append(...(await fetch('/api/pages').then((r) => r.json())))
