import { RecipeService, type Recipe } from "./services/recipe-service";

const root = document.getElementById("app") as HTMLElement;
const service = new RecipeService();

function row(recipe: Recipe): string {
  return `<tr><td>${recipe.title}</td><td>${recipe.minutes}</td></tr>`;
}

async function main(): Promise<void> {
  const recipes = await service.list();
  root.innerHTML = `<table><tbody>${recipes.map(row).join("")}</tbody></table>`;
}

void main();
