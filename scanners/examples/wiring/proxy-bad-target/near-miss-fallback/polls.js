document.querySelector('p').textContent = (await (await fetch('/api/polls')).json()).length + ' polls'
