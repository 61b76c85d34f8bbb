import { defineConfig, type UserConfig } from 'vite'

export default defineConfig(async ({ command }): Promise<UserConfig> => {
  if (command === 'build') return { root: 'web' }
  const { table } = await import('./server/table')
  return { root: 'web', server: { port: 5251, proxy: table } }
})
