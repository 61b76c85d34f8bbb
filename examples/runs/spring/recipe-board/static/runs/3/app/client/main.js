const main = document.querySelector('main')
const recipes = await fetch('/api/recipes').then((res) => res.json())
main.innerHTML = recipes.map((r) => `<figure><img src="/uploads/${r.photo}" alt=""><figcaption>${r.title}</figcaption></figure>`).join('')
