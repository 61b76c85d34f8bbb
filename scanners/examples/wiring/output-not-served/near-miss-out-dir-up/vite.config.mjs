import { resolve } from 'node:path'

const root = resolve(import.meta.dirname ?? '.', 'client')

export default {
  root,
  build: { outDir: '../dist', emptyOutDir: true },
  server: { port: 5314, proxy: { '/api/': 'http://localhost:4214' } },
}
