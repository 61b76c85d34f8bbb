import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: { port: 5401, proxy: { '/api': 'http://localhost:4301' } },
})
