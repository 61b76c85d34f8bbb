const main = document.querySelector('main')
const routes = [
  [/^\/$/, async () => (await load()).map((n) => `<a href="/notes/${n.id}">${n.title}</a>`).join('')],
  [/^\/notes\/(\d+)$/, async (id) => (await load()).find((n) => n.id === +id)?.title ?? 'Not found'],
]
const load = () => fetch('/api/notes').then((r) => r.json())

async function render() {
  for (const [pattern, view] of routes) {
    const match = pattern.exec(location.pathname)
    if (match) main.innerHTML = await view(...match.slice(1))
  }
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link) return
  event.preventDefault()
  history.pushState(null, '', link.href)
  render()
})
window.addEventListener('popstate', render)
render()
