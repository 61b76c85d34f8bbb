const express = require('express')
const { createProxyMiddleware } = require('http-proxy-middleware')

const app = express()
app.get('/api/ping', (req, res) => { res.json({ pong: true }) })
app.use('/api/geo', createProxyMiddleware({ target: 'http://localhost:4269' }))
app.listen(4268)
