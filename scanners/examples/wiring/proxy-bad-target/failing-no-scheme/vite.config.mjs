import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5341,
    proxy: {
      '/api': { target: 'localhost:4241', changeOrigin: true },
    },
  },
})
