import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5331,
  },
  proxy: {
    '/api': 'http://localhost:4231',
  },
})
