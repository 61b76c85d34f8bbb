export default {
  server: { port: 5248 },
  preview: { port: 5249, proxy: { '/api': 'http://localhost:4148' } },
}
