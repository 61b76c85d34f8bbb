const board = document.querySelector('#board')
const saved = document.querySelector('#saved')

async function load() {
  const recipes = await (await fetch('/api/recipes')).json()
  board.innerHTML = recipes.map((r) => `<article data-id="${r.id}">${r.starred ? '★ ' : ''}${r.title}</article>`).join('')
}

board.addEventListener('click', async ({ target }) => {
  const card = target.closest('article')
  if (!card) return
  await fetch(`/api/recipes/${card.dataset.id}/star`, { method: 'PUT' })
  saved.hidden = false
  setTimeout(() => { saved.hidden = true }, 1500)
  load()
})

load()
