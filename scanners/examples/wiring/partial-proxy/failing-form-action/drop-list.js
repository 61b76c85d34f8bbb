document.querySelector('p').textContent = `${(await fetch('/api/files').then((r) => r.json())).length} files`
