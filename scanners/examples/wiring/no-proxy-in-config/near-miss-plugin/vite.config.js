import { defineConfig } from 'vite'

const backend = (target) => ({
  name: 'backend',
  config: () => ({ server: { proxy: { '/api': { target } } } }),
})

export default defineConfig({ plugins: [backend('http://localhost:4432')], server: { port: 5522 } })
