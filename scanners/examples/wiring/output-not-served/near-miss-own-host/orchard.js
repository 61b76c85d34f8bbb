document.querySelector('p').textContent = (await (await fetch('/api/trees')).json()).join()
