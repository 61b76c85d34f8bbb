const main = document.querySelector('main')
fetch('/api/books').then(r => r.json()).then(books => main.append(...books))
