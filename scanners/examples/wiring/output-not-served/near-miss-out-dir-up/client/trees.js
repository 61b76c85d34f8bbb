const match = location.pathname.match(/^\/trees\/(\w+)/)
fetch('/api/trees').then((r) => r.json()).then((trees) => {
  document.querySelector('ul').textContent = match ? match[1] : trees.map((t) => t.name).join()
})
