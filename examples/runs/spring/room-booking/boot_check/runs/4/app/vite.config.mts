import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = {
  server: {
    port: 5112,
    proxy: {
      "/api": { target: "http://localhost:4812", changeOrigin: false },
    },
  },
};

export default defineConfig(config);
