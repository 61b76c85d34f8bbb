import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: { port: 5109, proxy: { '/api': { target: 'http://localhost:3809' } } },
})
