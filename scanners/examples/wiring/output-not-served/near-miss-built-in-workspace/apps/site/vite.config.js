import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5315, proxy: { '/api': { target: 'http://localhost:4215' } } } })
