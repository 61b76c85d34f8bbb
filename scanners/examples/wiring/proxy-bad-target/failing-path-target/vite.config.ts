import { defineConfig } from 'vite'
const target = '/v1'
export default defineConfig({ server: { port: 5342, proxy: { '/api': { target, changeOrigin: true } } } })
