import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5531, proxy: { '/media': { target: 'http://localhost:4441' } } } })
