const fonts = await fetch('/api/fonts').then((r) => r.json())
document.querySelector('select').innerHTML = fonts.map((f) => `<option>${f}</option>`).join('')
