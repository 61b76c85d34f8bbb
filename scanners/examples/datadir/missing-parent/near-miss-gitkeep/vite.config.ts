export default { server: { port: 5411, proxy: { '/api': { target: 'http://localhost:4311' } } } }
