export default { server: { port: 5512, proxy: { '/api': 'http://localhost:4412' } } }
