import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5508, proxy: { '/api': 'http://localhost:4408' } } })
