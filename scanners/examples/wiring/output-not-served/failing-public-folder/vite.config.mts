import { defineConfig } from 'vite'

export default defineConfig({
  publicDir: false,
  build: { outDir: 'build' },
  server: { port: 5312, proxy: { '/api': { target: 'http://localhost:4212' } } },
})
