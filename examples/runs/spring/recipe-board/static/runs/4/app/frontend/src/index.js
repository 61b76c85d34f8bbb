import { RecipeStore } from "./store.js";

const store = new RecipeStore("/api/recipes");
const app = document.getElementById("app");

store.load().then((recipes) => {
  app.textContent = recipes.map((recipe) => recipe.title).join(", ");
});
