export const shared = { root: 'ui', server: { port: 5523, strictPort: true } }
