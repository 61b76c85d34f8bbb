export default { base: '/shop/', server: { port: 5506, proxy: { '/api': { target: 'http://localhost:4406' } } } }
