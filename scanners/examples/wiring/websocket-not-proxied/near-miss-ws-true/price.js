const output = document.querySelector('output')
output.value = (await (await fetch('/api/price')).json()).ABC
new WebSocket(`ws://${location.host}/feed?symbol=ABC`).onmessage = (e) => { output.value = e.data }
