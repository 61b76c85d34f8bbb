const options = { target: 'http://localhost:4257', changeOrigin: true }

export default {
  server: {
    port: 5357,
    proxy: {
      '/api': options,
      '/api/mail': options,
    },
  },
}
