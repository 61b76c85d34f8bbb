export default { server: { port: 5313, proxy: { '/api': 'http://localhost:4213' } } }
