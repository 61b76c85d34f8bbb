import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5281,
    proxy: {
      '/api': {
        target: 'http://localhost:4181',
        changeOrigin: true,
        rewrite: (path) => path.replace(/^\/api/, ''),
      },
    },
  },
})
