export default {
  root: 'client',
  server: { port: 5121, proxy: { '/api': { target: 'http://localhost:3821', changeOrigin: true } } },
}
