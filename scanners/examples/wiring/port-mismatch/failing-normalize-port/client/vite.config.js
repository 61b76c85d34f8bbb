export default { server: { port: 5527, proxy: { '/users': 'http://localhost:4438' } } }
