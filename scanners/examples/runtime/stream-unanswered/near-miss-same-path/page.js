const source = new EventSource('http://localhost:4898/api/stream')
source.onmessage = (event) => {
  document.querySelector('output').value = event.data
}
