const list = document.getElementById('recipes');

async function loadRecipes() {
  const res = await fetch('/api/recipes');
  const recipes = await res.json();
  list.innerHTML = recipes.map((r) => `<li>${r.title} (${r.minutes} min)</li>`).join('');
}

export async function addRecipe(title) {
  await fetch('/api/recipes', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ title }),
  });
  await loadRecipes();
}

loadRecipes();
