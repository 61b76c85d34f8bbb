import { defineConfig } from 'vite'
const at = (port) => `http://localhost:${port}`
export default defineConfig({ server: { port: 5355, proxy: { '/api/search': at(4256), '/api': at(4255) } } })
