const members = 'http://localhost:4292'

export default ({ command }) => ({
  server: { port: 5392, ...(command === 'serve' && { proxy: { '/api/': members } }) },
})
