export const rates = { EUR: 1 }
