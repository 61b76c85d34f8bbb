const port = process.env.PORT || 4122

module.exports = {
  server: { port: 5223, proxy: { '/api': { target: `http://localhost:${port}` } } },
}
