import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5216, proxy: { '/api': 'http://localhost:4116' } } })
