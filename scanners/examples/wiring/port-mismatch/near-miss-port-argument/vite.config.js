export default { server: { port: 5509, proxy: { '/api': 'http://localhost:4409' } } }
