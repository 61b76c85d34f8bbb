export default { server: { port: 5404, proxy: { '/api': 'http://localhost:4304' } } }
