import { defineConfig } from 'vite'

export default defineConfig({ server: { port: 5302, proxy: { '/api': 'http://localhost:4202' } } })
