document.querySelector('p').textContent = (await (await fetch('/api/birds')).json()).join()
document.querySelector('button').onclick = () => fetch('http://localhost:4462/song')
