module.exports = { server: { port: 5262 } }
