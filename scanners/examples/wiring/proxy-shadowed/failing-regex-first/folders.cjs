const express = require('express')
const app = express()
app.get('/api/folders', (req, res) => { res.json(['tax']) })
app.listen(4253)
