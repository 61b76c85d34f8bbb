import { defineConfig, type ProxyOptions } from "vite"

const api: ProxyOptions = { target: "http://127.0.0.1:4102", changeOrigin: true }

export default defineConfig({
  root: "packages/web",
  server: { port: 5202, proxy: { "/rest": api } },
})
