const path = window.location.pathname
const id = path.startsWith('/items/') ? path.slice('/items/'.length) : '1'
if (path === '/') window.history.pushState({}, '', `/items/${id}`)
const item = await fetch(`/api/items/${id}`).then((r) => r.json())
document.querySelector('h1').textContent = item.id
