const express = require('express')
const app = express()
app.get('/api/pages', (req, res) => { res.json(['Home']) })
app.listen(4264)
