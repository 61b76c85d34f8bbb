const pre = document.querySelector('pre')
fetch('/api/rows').then((r) => r.json()).then((rows) => { pre.textContent = rows.join('\n') })

const request = new XMLHttpRequest()
request.open('GET', '/export?format=csv')
request.onload = () => { pre.title = request.responseText }
request.send()
