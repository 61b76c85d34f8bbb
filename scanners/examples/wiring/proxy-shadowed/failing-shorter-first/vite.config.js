import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5351,
    proxy: {
      '/v1': 'http://localhost:4251',
      '/v1/auth': 'http://localhost:4252',
    },
  },
})
