export default ({ command }) => command === 'serve'
  ? { server: { port: 5274, proxy: { '/api': 'http://localhost:4174' } } }
  : {}
