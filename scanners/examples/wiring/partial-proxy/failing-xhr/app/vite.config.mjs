export default { server: { port: 5525, proxy: { '/api': { target: 'http://localhost:4435' } } } }
