import express from 'express';

const app = express();
const PORT = process.env.PORT || 4121;

app.get('/api/expenses', (req, res) => {
  res.json([{ id: 1, label: 'Train', amount: 23.5 }]);
});

app.listen(PORT, () => console.log(`Expense API on ${PORT}`));
