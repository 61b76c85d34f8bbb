fetch('/api/expenses')
  .then((res) => res.json())
  .then((expenses) => {
    document.getElementById('expenses').innerHTML = expenses.map((e) => `<li>${e.label}: ${e.amount}</li>`).join('');
  })
  .catch(console.error);
