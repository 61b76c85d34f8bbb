document.querySelector('p').textContent = (await (await fetch('/api/queue')).json()).length
