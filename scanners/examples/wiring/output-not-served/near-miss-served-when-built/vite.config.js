export default { server: { port: 5565, proxy: { '/api': 'http://localhost:4465' } } }
