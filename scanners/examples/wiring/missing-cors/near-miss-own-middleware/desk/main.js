const express = require('express')
const { allowAll } = require('./allow')

const app = express()
app.use(allowAll)
app.get('/parcels', (req, res) => res.json([{ code: 'RX1' }]))
app.listen(4176, '127.0.0.1')
