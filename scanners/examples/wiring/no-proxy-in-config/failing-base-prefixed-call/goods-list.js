const api = import.meta.env.BASE_URL + 'api'
document.querySelector('ul').append(...(await fetch(`${api}/goods`).then((r) => r.json())))
