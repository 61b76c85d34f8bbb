const list = await fetch('/rpc/list').then((r) => r.json())
document.querySelector('pre').textContent = list.join('\n')
