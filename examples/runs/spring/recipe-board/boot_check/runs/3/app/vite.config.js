import { defineConfig } from 'vite'

export default defineConfig({
  root: 'client',
  build: { outDir: '../dist', emptyOutDir: true },
  server: { port: 5103, strictPort: true, proxy: { '/api': 'http://localhost:3803' } },
})
