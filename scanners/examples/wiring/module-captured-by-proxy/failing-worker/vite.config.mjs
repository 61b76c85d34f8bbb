export default {
  server: {
    port: 5212,
    proxy: { '/sync': 'http://localhost:4112' },
  },
}
