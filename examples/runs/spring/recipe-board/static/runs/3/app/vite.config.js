import { defineConfig } from 'vite'

const api = 'http://localhost:3807'

export default defineConfig({
  root: './client',
  server: {
    port: 5107,
    proxy: { '/api': api, '/uploads': api },
  },
})
