export default {
  server: {
    proxy: { '/api': `http://localhost:${process.env.API_PORT || 4133}` },
  },
}
