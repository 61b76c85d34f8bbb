export default {
  server: { port: 5282, proxy: { '/v1': { target: 'http://localhost:4182/v1' } } },
}
