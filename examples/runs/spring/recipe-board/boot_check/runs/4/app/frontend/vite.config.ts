import { defineConfig } from "vite";

export default defineConfig({
  server: {
    port: 5104,
    proxy: {
      "/api/v1": { target: "http://127.0.0.1:4804" },
    },
  },
});
