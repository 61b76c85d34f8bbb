const get = (path) => fetch(`/v1${path}`).then((r) => r.json())
const [products, me] = await Promise.all([get('/products'), get('/auth/me')])
document.querySelector('p').textContent = `${me.name}: ${products}`
