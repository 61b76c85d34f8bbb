import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5321, proxy: { '/api': 'http://localhost:4221' } } })
