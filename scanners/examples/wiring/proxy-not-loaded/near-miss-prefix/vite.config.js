module.exports = { server: { port: 5296 } }
