const target = 'http://[::1]:4151'

export const table: Record<string, { target: string }> = {
  '/api': { target },
  '/export': { target },
}
