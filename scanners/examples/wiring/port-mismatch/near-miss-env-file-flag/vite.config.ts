import { defineConfig, loadEnv } from 'vite'

const env = loadEnv('development', '.', ['BID_'])

export default defineConfig({ server: { port: 5510, proxy: { '/api': { target: `http://localhost:${env.BID_PORT ?? 4497}` } } } })
