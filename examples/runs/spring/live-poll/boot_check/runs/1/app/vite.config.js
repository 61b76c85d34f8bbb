import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  server: {
    port: 5117,
    // the slash keeps /api.js with Vite
    proxy: { '/api/': { target: 'http://localhost:3817', changeOrigin: true } },
  },
})
