export default { server: { port: 5524, proxy: { '/api': 'http://localhost:4434' } } }
