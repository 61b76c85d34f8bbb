import { defineConfig } from 'vite'

export default defineConfig({
  envPrefix: ['VITE_', 'PUBLIC_'],
  define: { 'process.env.JOB_LIMIT': JSON.stringify('20') },
  server: { port: 5385 },
})
