import { getStock } from '@/stock.js';

const dl = document.querySelector('dl');
getStock().then((stock) => {
  for (const [part, count] of Object.entries(stock)) dl.innerHTML += `<dt>${part}</dt><dd>${count}</dd>`;
});
