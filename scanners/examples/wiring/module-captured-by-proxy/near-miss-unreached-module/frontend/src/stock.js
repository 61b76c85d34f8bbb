// was: import { get } from '../api/client.js'
export const getStock = () => fetch('/api/stock').then((r) => r.json());
