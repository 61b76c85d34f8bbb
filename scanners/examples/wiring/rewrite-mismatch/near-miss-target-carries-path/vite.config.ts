import { defineConfig } from 'vite'

const strip = (key: string) => (path: string) => path.slice(key.length)

export default defineConfig({
  root: 'src/client',
  server: {
    port: 5285,
    proxy: {
      '/books': { target: 'http://localhost:4185/rest/v3/', rewrite: strip('/books') },
    },
  },
})
