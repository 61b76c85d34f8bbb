import { defineConfig } from "vite";

const BACKEND = "http://localhost:4801";

export default defineConfig({
  server: {
    port: 5102,
    proxy: { "/api": { target: BACKEND, changeOrigin: true } },
  },
});
