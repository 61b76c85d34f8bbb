export default { server: { port: 5530, proxy: { '/pages': 'http://localhost:4440' } } }
