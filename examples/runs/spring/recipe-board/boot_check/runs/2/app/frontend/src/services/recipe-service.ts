export interface Recipe {
  id: number;
  title: string;
  minutes: number;
}

export class RecipeService {
  private readonly base = "/api/recipes";

  async list(): Promise<Recipe[]> {
    const response = await fetch(this.base);
    if (!response.ok) {
      throw new Error(`HTTP ${response.status}`);
    }
    return (await response.json()) as Recipe[];
  }
}
