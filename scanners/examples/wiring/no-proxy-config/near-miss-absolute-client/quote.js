const API_URL = 'http://localhost:4144/api'

fetch(API_URL + '/quotes').then((res) => res.json()).then(({ text }) => {
  document.querySelector('blockquote').textContent = text
})
