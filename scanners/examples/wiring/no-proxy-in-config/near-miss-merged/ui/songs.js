const songs = await (await fetch('/api/songs')).json()
document.querySelector('ol').innerHTML = songs.map((song) => `<li>${song.title}</li>`).join('')
