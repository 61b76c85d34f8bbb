import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: {
    port: 5105,
    proxy: {
      '/api': {
        target: 'http://localhost:3805',
        changeOrigin: true,
      },
    },
  },
  build: {
    outDir: '../dist',
  },
})
