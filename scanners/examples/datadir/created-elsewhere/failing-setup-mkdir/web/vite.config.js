export default { server: { port: 5422, proxy: { '/api': 'http://localhost:4322' } } }
