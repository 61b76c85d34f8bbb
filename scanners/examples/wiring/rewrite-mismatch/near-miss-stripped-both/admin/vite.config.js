const target = 'http://localhost:4184'

export default {
  server: {
    port: 5284,
    proxy: {
      '^/backend/.*': { target, rewrite: (path) => path.replace('/backend', '') },
      '/health': target,
    },
  },
}
