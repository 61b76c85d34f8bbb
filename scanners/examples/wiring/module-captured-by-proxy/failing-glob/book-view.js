const views = import.meta.glob('./pages/*.js', { eager: true })
const [first] = await fetch('/pages').then((r) => r.json())
document.querySelector('main').textContent = views[`./pages/${first}.js`].title
