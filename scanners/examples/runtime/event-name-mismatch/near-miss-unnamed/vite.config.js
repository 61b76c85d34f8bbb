export default { server: { proxy: { '/live': 'http://localhost:4896' } } }
