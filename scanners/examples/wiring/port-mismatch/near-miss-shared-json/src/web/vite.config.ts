import { defineConfig } from 'vite'
import ports from '../../ports.json'

export default defineConfig({
  server: { port: ports.web, proxy: { '/api': { target: `http://localhost:${ports.api}` } } },
})
