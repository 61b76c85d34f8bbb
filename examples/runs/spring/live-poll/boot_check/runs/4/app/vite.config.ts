import { defineConfig } from "vite";

export default defineConfig({ root: "frontend", appType: "spa" });
