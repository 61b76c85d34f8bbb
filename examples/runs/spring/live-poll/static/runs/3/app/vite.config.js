import { defineConfig } from 'vite'
import { API_PORT } from './server/port.js'

export default defineConfig({
  root: 'client',
  server: { port: 5123, proxy: { '/api': { target: `http://localhost:${API_PORT}` } } },
})
