import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5362, proxy: { '/api': 'http://localhost:4262' } } })
