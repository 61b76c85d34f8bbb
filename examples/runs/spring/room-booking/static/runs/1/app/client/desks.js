const host = document.getElementById('desks')

async function show() {
  const desks = await fetch('/api/desks').then((res) => res.json())
  host.innerHTML = desks.map((d) => `<button data-id="${d.id}" ${d.by ? 'disabled' : ''}>Desk ${d.id}</button>`).join('')
}

host.addEventListener('click', async (e) => {
  if (!e.target.dataset.id) return
  await fetch(`/api/desks/${e.target.dataset.id}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ by: 'me' }),
  })
  show()
})

show()
