export default { server: { port: 5561, proxy: { '/api': 'http://localhost:4461' } } }
