const express = require('express')
const app = express()
app.get('/sounds/list', (req, res) => { res.json(['bell']) })
app.listen(4402)
