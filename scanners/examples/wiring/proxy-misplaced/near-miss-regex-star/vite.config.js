import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5334, proxy: { '^/api/.*': 'http://localhost:4234' } } })
