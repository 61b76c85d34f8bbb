const source = new EventSource('/live')
source.addEventListener('message', (event) => {
  document.querySelector('output').value = event.data
})
