const photos = await fetch('/api/photos').then((r) => r.json())
document.querySelector('main').textContent = `${photos.length} photos`
