export const tools = () => fetch('/api/tools').then((r) => r.json())
