import { listRecipes, addRecipe, removeRecipe } from './recipes.js'

const list = document.getElementById('recipes')
const error = document.getElementById('error')
const form = document.getElementById('add')

async function render() {
  try {
    const recipes = await listRecipes()
    list.innerHTML = recipes
      .map((r) => `<li>${r.title} <small>${r.minutes} min</small> <button data-id="${r.id}">x</button></li>`)
      .join('')
    error.textContent = ''
  } catch (err) {
    error.textContent = `Could not load recipes: ${err.message}`
  }
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await addRecipe(Object.fromEntries(new FormData(form)))
  form.reset()
  render()
})

list.addEventListener('click', async (event) => {
  const { id } = event.target.dataset
  if (id) {
    await removeRecipe(id)
    render()
  }
})

render()
