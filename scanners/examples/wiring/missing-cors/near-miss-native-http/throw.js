document.querySelector('b').textContent = (await (await fetch('http://localhost:4436/dice')).json()).eyes
