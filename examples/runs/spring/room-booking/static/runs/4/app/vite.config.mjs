import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const port = readFileSync(new URL(".backend-port", import.meta.url), "utf8").trim();

export default defineConfig({
  root: "frontend",
  server: { port: 5116, proxy: { "/api": { target: `http://localhost:${port}` } } },
});
