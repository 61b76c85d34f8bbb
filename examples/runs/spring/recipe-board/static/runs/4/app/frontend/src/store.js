export class RecipeStore {
  constructor(url) {
    this.url = url;
  }

  async load() {
    const response = await fetch(this.url);
    return response.json();
  }

  async add(recipe) {
    await fetch(this.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(recipe),
    });
  }
}
