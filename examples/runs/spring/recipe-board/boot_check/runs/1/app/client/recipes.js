const headers = { 'Content-Type': 'application/json' }

export const listRecipes = () => fetch('/api/recipes').then((res) => res.json())

export const addRecipe = (recipe) =>
  fetch('/api/recipes', { method: 'POST', headers, body: JSON.stringify(recipe) })

export const removeRecipe = (id) => fetch(`/api/recipes/${id}`, { method: 'DELETE' })
