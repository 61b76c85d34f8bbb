const { data } = await fetch('/graphql').then((r) => r.json())
document.querySelector('ul').append(...data.films)
