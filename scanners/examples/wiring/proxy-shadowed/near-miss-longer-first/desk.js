const orders = await fetch('/api/orders').then((r) => r.json())
const { hits } = await fetch('/api/search?' + new URLSearchParams({ q: 'x' })).then((r) => r.json())
document.querySelector('p').textContent = [...orders, ...hits].join()
