import { defineConfig } from 'vite'

const desk = 'http://localhost:4117'

export default defineConfig({
  server: {
    port: 5217,
    proxy: {
      '/api/': desk,
      '^/hooks(?:[/?]|$)': { target: desk },
    },
  },
})
