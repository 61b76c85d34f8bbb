const prefixes = ['api', 'swatches']

export default {
  server: {
    port: 5333,
    proxy: Object.fromEntries(prefixes.map((prefix) => [prefix, { target: 'http://localhost:4233' }])),
  },
}
