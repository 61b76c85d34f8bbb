const { high } = await fetch('/api/tides').then((r) => r.json())
document.querySelector('output').value = high
