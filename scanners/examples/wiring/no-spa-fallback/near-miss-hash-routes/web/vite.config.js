export default { server: { port: 5324, proxy: { '/api': 'http://localhost:4224' } } }
