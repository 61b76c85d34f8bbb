const target = 'http://localhost:4463'
export default { server: { port: 5563, proxy: { '/api': target, '/api/socket.io': { target, ws: true } } } }
