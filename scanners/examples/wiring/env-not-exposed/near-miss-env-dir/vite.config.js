import { defineConfig } from 'vite'
export default defineConfig({ root: 'client', envDir: '..', server: { port: 5384 } })
