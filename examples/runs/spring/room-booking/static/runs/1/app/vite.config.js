import { defineConfig } from 'vite'

// the root comes from the command line
export default defineConfig({
  server: {
    port: 5113,
    proxy: { '/api': 'http://localhost:3813' },
  },
})
