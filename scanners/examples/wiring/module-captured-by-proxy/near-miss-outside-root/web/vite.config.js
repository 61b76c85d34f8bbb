import { defineConfig } from 'vite'
export default defineConfig({ server: { port: 5504, proxy: { '/shared': 'http://localhost:4404' } } })
