export default { server: { port: 5368, proxy: { '/api': 'http://localhost:4268' } } }
