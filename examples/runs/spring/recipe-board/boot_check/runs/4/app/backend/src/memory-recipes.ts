export interface Recipe {
  id: string;
  title: string;
}

/** Recipes live as long as the process. */
export class MemoryRecipes {
  private readonly items = new Map<string, Recipe>();

  findAll(): Recipe[] {
    return [...this.items.values()];
  }

  insert(input: Omit<Recipe, "id">): Recipe {
    const recipe = { ...input, id: crypto.randomUUID() };
    this.items.set(recipe.id, recipe);
    return recipe;
  }
}
