import { defineConfig } from 'vite'

const backend = { protocol: 'http:', host: 'localhost', port: 4245 }

export default defineConfig({ server: { port: 5345, proxy: { '/api': { target: backend } } } })
