export default { server: { port: 5374, proxy: { '/api': 'http://localhost:5374' } } }
