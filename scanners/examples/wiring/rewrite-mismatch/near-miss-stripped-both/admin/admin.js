const user = await fetch('/backend/users/1').then((r) => r.json())
const { ok } = await fetch('/health').then((r) => r.json())
document.querySelector('h1').textContent = ok ? user.name : 'down'
