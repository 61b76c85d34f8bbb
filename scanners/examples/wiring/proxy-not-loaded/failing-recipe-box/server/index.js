const express = require('express');

const app = express();
const PORT = process.env.PORT || 4101;

const recipes = [
  { id: 1, title: 'Shakshuka', minutes: 25 },
  { id: 2, title: 'Dal', minutes: 40 },
];

app.use(express.json());

app.get('/api/recipes', (req, res) => {
  res.json(recipes);
});

app.post('/api/recipes', (req, res) => {
  const recipe = { id: recipes.length + 1, minutes: 0, ...req.body };
  recipes.push(recipe);
  res.status(201).json(recipe);
});

app.listen(PORT, () => {
  console.log(`Server running on http://localhost:${PORT}`);
});
