export default { server: { port: 5322, proxy: { '/api': { target: 'http://localhost:4222', changeOrigin: true } } } }
