import { defineConfig } from 'vite'
export default defineConfig({ root: 'client', server: { port: 5272 } })
