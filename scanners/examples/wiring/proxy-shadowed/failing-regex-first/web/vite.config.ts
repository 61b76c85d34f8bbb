import { defineConfig } from 'vite'

const folders = { target: 'http://localhost:4253' }
const files = { target: 'http://localhost:4254' }

export default defineConfig({ server: { port: 5353, proxy: { '^/api': folders, '/api/files': files } } })
