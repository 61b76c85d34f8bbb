export default { server: { proxy: { '/api': 'http://localhost:4851' } } }
