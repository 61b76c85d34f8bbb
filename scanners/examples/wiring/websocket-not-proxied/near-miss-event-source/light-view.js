const output = document.querySelector('output')
const show = ({ green }) => { output.value = green ? 'green' : 'red' }
show(await fetch('/api/state').then((r) => r.json()))
new EventSource('/api/stream').onmessage = ({ data }) => show(JSON.parse(data))
