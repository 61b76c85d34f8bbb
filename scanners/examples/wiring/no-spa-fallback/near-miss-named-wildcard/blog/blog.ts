const slug = location.pathname.split('/').pop()
const posts: { slug: string }[] = await fetch('/api/posts').then((r) => r.json())
document.querySelector('article')!.textContent = slug || posts[0].slug
window.onpopstate = () => location.reload()
