fetch('/api/tasks').then((r) => r.json()).then((t) => { document.querySelector('ul').textContent = t.length })
