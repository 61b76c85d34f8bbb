export default { server: { port: 5394, proxy: { '/api': 'http://localhost:4294' } } }
