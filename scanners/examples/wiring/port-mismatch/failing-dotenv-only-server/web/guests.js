const reply = await fetch('/api/guests')
document.querySelector('#guests').textContent = reply.ok ? (await reply.json()).map((g) => g.name).join(', ') : 'no list'
