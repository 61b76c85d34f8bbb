import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5532, proxy: { '/brand/': 'http://localhost:4442' } } })
