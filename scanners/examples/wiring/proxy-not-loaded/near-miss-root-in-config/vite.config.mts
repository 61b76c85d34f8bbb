import type { UserConfig } from 'vite'

export default {
  root: 'app/src',
  server: {
    port: 5205,
    proxy: {
      '/api': { target: 'http://localhost:4105', changeOrigin: true, secure: false },
    },
  },
} satisfies UserConfig
