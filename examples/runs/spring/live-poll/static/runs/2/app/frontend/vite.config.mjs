import { defineConfig, loadEnv } from "vite";

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd(), "POLL_");
  return {
    root: "frontend",
    server: {
      port: 5122,
      proxy: { "/api": { target: `http://localhost:${env.POLL_PORT}` } },
    },
  };
});
