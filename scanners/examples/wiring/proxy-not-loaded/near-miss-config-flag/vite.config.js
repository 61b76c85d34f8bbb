import { defineConfig } from 'vite'

export default defineConfig(() => ({
  server: { port: 5204, strictPort: true, proxy: { '/api': 'http://localhost:4104' } },
}))
