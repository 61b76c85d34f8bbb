import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5371,
    proxy: {
      '/api': 'http://localhost:5371',
    },
  },
})
