fetch('/api/lamps').then((r) => r.json()).then((l) => { document.querySelector('input').checked = l.hall })
