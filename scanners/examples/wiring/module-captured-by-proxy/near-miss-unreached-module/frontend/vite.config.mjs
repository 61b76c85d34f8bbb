import { defineConfig } from 'vite';

export default defineConfig({
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  server: { port: 5218, proxy: { '/api': { target: 'http://localhost:4118', changeOrigin: true } } },
});
