const members = await fetch('/api/members').then((r) => r.json())
document.querySelector('ul').append(...members.map((m) => m.name))
