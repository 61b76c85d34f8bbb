export default { server: { port: 5304, proxy: { '/api': { target: 'http://localhost:4204' } } } }
