import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5214,
    proxy: {
      '/media': { target: 'http://127.0.0.1:4114' },
    },
  },
})
