import { defineConfig } from 'vite'

export default defineConfig(({ command }) => {
  const proxy = { '^/(api|auth)': 'http://localhost:4113' }
  return { root: 'src', server: command === 'serve' ? { port: 5213, proxy } : {} }
})
