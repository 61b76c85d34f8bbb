export default { server: { port: 5501, proxy: { '/theme': { target: 'http://localhost:4401' } } } }
