import { defineConfig } from 'vite'
import { origin } from './shared/settings.mjs'

export default defineConfig(async () => ({
  server: { proxy: { '/graphql': origin } },
}))
