document.querySelector('b').textContent = (await fetch('/rest/cups').then((r) => r.json())).cups
