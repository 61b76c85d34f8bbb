import { UI_PORT, API_PORT } from '../ports.js'

export default {
  define: { __API_PORT__: API_PORT },
  server: { port: UI_PORT, proxy: { '/rest': { target: `http://localhost:${UI_PORT}`, changeOrigin: true } } },
}
