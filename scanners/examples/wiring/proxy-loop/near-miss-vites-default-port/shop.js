const express = require('express')
const app = express()
app.get('/api/kites', (req, res) => res.json(['delta']))
app.listen(5374)
