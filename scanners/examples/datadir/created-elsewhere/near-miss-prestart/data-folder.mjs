export const DATA = new URL('./private/data/', import.meta.url).pathname
