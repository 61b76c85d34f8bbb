async function request(path, options = {}) {
  const res = await fetch(`/api${path}`, options)
  if (!res.ok) throw new Error(`Request failed: ${res.status}`)
  return res.json()
}

export const api = {
  recipes: () => request('/recipes'),
}
