const source = new EventSource('/live')
source.addEventListener('scores', (event) => {
  document.querySelector('output').value = event.data
})
