import { defineConfig } from 'vite'

export default defineConfig(({ command }) => ({
  root: 'client',
  server: command === 'serve' ? { proxy: { '/api': 'http://localhost:3811' } } : undefined,
}))
