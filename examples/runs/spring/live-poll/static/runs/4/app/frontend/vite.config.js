import { defineConfig } from "vite";

const port = process.env.PORT || 4824;

export default defineConfig({
  server: { port: 5124, proxy: { "/votes": { target: "http://localhost:" + port } } },
});
