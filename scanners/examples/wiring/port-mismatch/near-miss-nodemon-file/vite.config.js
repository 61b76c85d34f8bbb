export default { root: 'web', server: { port: 5529, proxy: { '/api': 'http://127.0.0.1:4439' } } }
