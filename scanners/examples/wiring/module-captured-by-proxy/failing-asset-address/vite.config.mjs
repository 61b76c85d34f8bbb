import { defineConfig } from 'vite'

export default defineConfig({
  server: { port: 5502, proxy: { '/sounds': 'http://localhost:4402' } },
})
