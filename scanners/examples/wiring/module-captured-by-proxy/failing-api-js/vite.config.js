import { defineConfig } from 'vite'

// https://vite.dev/config/
export default defineConfig({
  root: './client',
  server: {
    port: 5211,
    proxy: {
      '/api': {
        target: 'http://localhost:4111',
        changeOrigin: true,
      },
    },
  },
})
