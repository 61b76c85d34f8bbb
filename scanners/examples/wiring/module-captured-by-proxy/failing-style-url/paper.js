document.querySelector('p').textContent = await (await fetch('/media/index.json')).json()
