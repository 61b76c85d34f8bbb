import type { UserConfig } from 'vite'
export default { server: { port: 5363, proxy: { '/api': 'http://localhost:4263' } } } satisfies UserConfig
