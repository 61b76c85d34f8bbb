export default { server: { port: 5383 } }
