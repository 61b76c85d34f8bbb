const proxy = {}
for (const name of ['lists', 'shops']) proxy['/api/' + name] = 'http://localhost:4235'

module.exports = { server: { proxy, port: 5335 } }
