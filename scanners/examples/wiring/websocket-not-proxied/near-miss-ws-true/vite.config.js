const target = 'http://localhost:4203'
export default { server: { port: 5303, proxy: { '/api': { target }, '/feed': { target, ws: true } } } }
