document.querySelector('p').textContent = (await (await fetch('/api/cards')).json()).length
