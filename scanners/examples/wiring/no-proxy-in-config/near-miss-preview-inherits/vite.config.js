import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5507, proxy: { '/api': 'http://localhost:4407' } } })
