const express = require('express')
const rpc = express.Router()
rpc.get('/list', (req, res) => { res.json(['echo']) })
express().use('/rpc', rpc).listen(4147)
