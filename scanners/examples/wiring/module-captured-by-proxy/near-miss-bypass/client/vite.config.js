export default {
  server: {
    port: 5505,
    proxy: {
      '/api': {
        target: 'http://localhost:4405',
        bypass(request) {
          if (request.headers['sec-fetch-dest'] === 'script' || request.url.split('?')[0].endsWith('.js')) return request.url
        },
      },
    },
  },
}
