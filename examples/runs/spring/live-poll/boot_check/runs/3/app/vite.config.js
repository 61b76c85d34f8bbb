import { defineConfig } from 'vite'

const server = { port: 5119, proxy: { '/api': 'http://localhost:3819' } }

export default defineConfig({ root: 'client', server })
