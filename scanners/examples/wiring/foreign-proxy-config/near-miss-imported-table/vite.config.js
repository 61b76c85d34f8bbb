import { defineConfig } from 'vite'
import proxy from './proxy.conf.json'

export default defineConfig({ server: { port: 5367, proxy } })
