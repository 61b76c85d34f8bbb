const words = await fetch('/api/words').then(r => r.json())
document.querySelector('main').textContent = words.map(pair => pair.join(' = ')).join('\n')
