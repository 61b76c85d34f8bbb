document.querySelector('p').textContent = (await (await fetch('/api/times')).json()).join()
