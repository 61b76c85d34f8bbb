const form = document.querySelector('form')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await fetch('/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new FormData(form))),
  })
})
const { name } = await fetch('/api/profile').then((r) => r.json())
document.querySelector('p').textContent = name
