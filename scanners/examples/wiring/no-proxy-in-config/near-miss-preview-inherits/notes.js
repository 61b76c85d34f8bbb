fetch('/api/notes').then((r) => r.json()).then((notes) => document.querySelector('ul').append(...notes))
