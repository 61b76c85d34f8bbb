/** @type {import('vite').UserConfig} */
const config = { server: { port: 5215, proxy: {} } }
config.server.proxy['/settings'] = 'http://localhost:4115'
export default config
