const source = new EventSource('http://localhost:4897/api/events')
source.onmessage = (event) => {
  document.querySelector('output').value = event.data
}
