fetch('/api/links').then((r) => r.json()).then((links) => {
  document.querySelector('ul').innerHTML = links.map((l) => '<li>' + l.url + '</li>').join('')
})
