export default {
  root: 'frontend',
  server: { proxy: { '/api/v1': { target: 'http://localhost:4103' } } },
}
