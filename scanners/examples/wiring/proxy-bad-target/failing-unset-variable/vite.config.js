module.exports = {
  server: {
    port: 5343,
    proxy: { '/api': { target: process.env.VITE_BACKEND, changeOrigin: true } },
  },
}
