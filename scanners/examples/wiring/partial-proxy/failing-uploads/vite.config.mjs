import { defineConfig } from 'vite'

export default defineConfig({ server: { port: 5391, proxy: { '/api': { target: 'http://localhost:4291' } } } })
