import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    port: 5115,
    proxy: { '/bookings': 'http://localhost:3815' },
  },
})
