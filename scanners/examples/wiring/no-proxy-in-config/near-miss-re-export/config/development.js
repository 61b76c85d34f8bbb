import { shared } from './shared.js'

export default { ...shared, server: { ...shared.server, proxy: { '/api': 'http://localhost:4433' } } }
