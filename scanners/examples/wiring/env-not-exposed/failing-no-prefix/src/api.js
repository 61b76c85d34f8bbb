const base = import.meta.env.API_URL || ''

export const get = (path) => fetch(base + path).then((response) => response.json())
