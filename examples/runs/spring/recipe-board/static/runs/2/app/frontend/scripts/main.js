import { API_URL } from "./settings.js";

async function render() {
  const response = await fetch(API_URL + "/recipes");
  const recipes = await response.json();
  const section = document.getElementById("recipes");
  section.textContent = "";
  for (const recipe of recipes) {
    const p = document.createElement("p");
    p.textContent = recipe.title;
    section.appendChild(p);
  }
}

render();
