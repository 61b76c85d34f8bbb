export default { habits: () => fetch('/api/habits').then((r) => r.json()) }
