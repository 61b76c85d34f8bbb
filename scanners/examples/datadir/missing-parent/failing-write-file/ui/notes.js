const headers = { 'Content-Type': 'application/json' }
document.querySelector('textarea').onchange = ({ target }) =>
  fetch('/api/notes', { method: 'POST', headers, body: JSON.stringify({ id: Date.now(), text: target.value }) })
document.querySelector('ul').append(...(await fetch('/api/notes').then((r) => r.json())))
