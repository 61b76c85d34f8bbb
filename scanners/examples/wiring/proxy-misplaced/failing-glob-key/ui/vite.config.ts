import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5332,
    proxy: {
      '/api/**': { target: 'http://localhost:4232', changeOrigin: true },
    },
  },
})
