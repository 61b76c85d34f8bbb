const { EUR } = await fetch('/api/rates').then((r) => r.json())
document.querySelector('output').value = EUR
