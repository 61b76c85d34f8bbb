const { count } = await fetch('/api/mail/unread').then((r) => r.json())
document.querySelector('b').textContent = count
for (const { from } of await fetch('/api/mail').then((r) => r.json())) document.querySelector('ul').append(from)
