import { defineConfig } from "vite";

export default defineConfig({
  server: { port: 5108, open: false },
  build: { outDir: "dist", sourcemap: true },
});
