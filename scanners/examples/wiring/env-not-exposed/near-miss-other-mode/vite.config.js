export default { server: { port: 5566 } }
