export default { base: '/app/', root: 'board', server: { port: 5503, proxy: { '/api': 'http://localhost:4403' } } }
