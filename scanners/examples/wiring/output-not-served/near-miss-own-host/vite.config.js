export default { server: { port: 5564, proxy: { '/api': 'http://localhost:4464' } } }
