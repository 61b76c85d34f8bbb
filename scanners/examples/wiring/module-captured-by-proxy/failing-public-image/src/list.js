const photos = await (await fetch('/media/list')).json()
document.getElementById('list').textContent = `${photos.length} photos`
