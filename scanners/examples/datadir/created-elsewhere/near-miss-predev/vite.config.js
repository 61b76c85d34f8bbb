export default { server: { port: 5423, proxy: { '/api': { target: 'http://localhost:4323' } } } }
