fetch('/users').then((r) => r.json()).then((users) => { document.querySelector('ul').textContent = users.map((u) => u.name).join() })
