import { defineConfig } from "vite";
import { BACKEND_PORT, FRONTEND_PORT } from "../ports.mjs";

export default defineConfig({
  server: {
    port: FRONTEND_PORT,
    proxy: {
      "/api": `http://localhost:${BACKEND_PORT}`,
      "/live": { target: `ws://localhost:${BACKEND_PORT}`, ws: true },
    },
  },
});
