import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5364, proxy: { '/api': { target: 'http://localhost:4264' } } } })
