export default { server: { port: 5362, proxy: { '/api': 'http://localhost:4260' } } }
