export default { server: { port: 5407, proxy: { '/api': 'http://localhost:4307' } } }
