import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: { port: 5311, proxy: { '/api': 'http://localhost:4211' } },
})
