import { request } from "./request";

interface Recipe {
  id: string;
  title: string;
}

const list = document.querySelector<HTMLUListElement>("#recipes")!;
const recipes = await request<Recipe[]>("/recipes");
list.replaceChildren(
  ...recipes.map((recipe) => {
    const item = document.createElement("li");
    item.textContent = recipe.title;
    return item;
  }),
);
