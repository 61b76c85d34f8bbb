import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: {
    port: 5101,
    proxy: {
      '/api': {
        target: 'http://localhost:3801',
        changeOrigin: true,
      },
    },
  },
})
