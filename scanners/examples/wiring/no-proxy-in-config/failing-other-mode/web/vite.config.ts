import { defineConfig } from 'vite'

export default defineConfig(({ mode }) => {
  const shared = { root: 'web', server: { port: 5247 } }
  if (mode !== 'staging') return shared
  return { ...shared, server: { ...shared.server, proxy: { '/rpc': 'http://localhost:4147' } } }
})
