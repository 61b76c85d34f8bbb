const express = require('express')
const app = express()
app.get('/api/goals', (req, res) => { res.json(['Run 5 km']) })
app.listen(4266)
