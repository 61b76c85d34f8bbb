import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5410, proxy: { '/api': 'http://localhost:4310' } } })
