export default { server: { port: 5393, proxy: { '^/(?:api|files)/': { target: 'http://localhost:4293' } } } }
