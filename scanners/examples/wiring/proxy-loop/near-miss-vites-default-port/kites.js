document.querySelector('ul').append(...(await fetch('/api/kites').then((r) => r.json())))
