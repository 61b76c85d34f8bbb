import { defineConfig } from 'vite';

export default defineConfig({
  server: {
    port: 5221,
    proxy: {
      '/api': {
        target: 'http://localhost:4120',
        changeOrigin: true,
      },
    },
  },
});
