const albums = await (await fetch('/api/albums')).json()
const covers = await (await fetch('/uploads/list.json')).json()
document.querySelector('ul').innerHTML = albums.map((a, i) => `<li><img src="/uploads/${covers[i]}">${a.title}</li>`).join('')
