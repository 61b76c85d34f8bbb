const posts = await fetch('/api/posts').then((r) => r.json())
document.getElementById('feed').innerHTML = posts.map((p) => `<p>${p.body}</p>`).join('')
