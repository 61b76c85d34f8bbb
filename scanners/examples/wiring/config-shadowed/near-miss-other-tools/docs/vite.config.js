export default { server: { port: 5399 } }
