export const hooks = () => fetch('/hooks').then((r) => r.json())
