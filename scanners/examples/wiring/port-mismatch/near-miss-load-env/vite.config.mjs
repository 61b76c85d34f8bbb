import { defineConfig, loadEnv } from 'vite'

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd(), '')
  const target = `http://localhost:${env.API_PORT || 3001}`
  return { server: { port: 5227, proxy: { '/api': { target, changeOrigin: true } } } }
})
