export const place = new URL('../store/items.db', import.meta.url)
