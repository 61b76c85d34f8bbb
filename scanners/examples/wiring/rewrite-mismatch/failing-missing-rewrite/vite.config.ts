import type { UserConfig } from 'vite'

const config: UserConfig = {
  server: { port: 5283, proxy: { '/api': { target: 'http://localhost:4183', changeOrigin: true } } },
}

export default config
