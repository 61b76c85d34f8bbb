import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: {
    port: 5301,
    proxy: {
      '/api': 'http://localhost:4201',
      '/live': {
        target: 'http://localhost:4201',
        changeOrigin: true,
      },
    },
  },
})
