import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5361,
    proxy: { '/api': 'http://localhost:4261' },
  },
})
