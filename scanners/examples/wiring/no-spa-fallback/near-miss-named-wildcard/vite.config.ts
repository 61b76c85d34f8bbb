import { defineConfig } from 'vite'
export default defineConfig({ root: 'blog', build: { outDir: '../out' }, server: { port: 5323, proxy: { '/api': 'http://localhost:4223' } } })
