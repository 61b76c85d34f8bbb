const { BACKEND_ORIGIN = 'http://localhost:4244' } = process.env
const proxyTo = (target) => ({ target, changeOrigin: true })

export default { server: { port: 5344, proxy: { '/api': proxyTo(BACKEND_ORIGIN) } } }
