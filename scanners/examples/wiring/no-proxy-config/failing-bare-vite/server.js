const express = require('express')
const cors = require('cors')
const app = express()
app.use(cors())

const comments = ['first!']
app.get('/api/comments', (req, res) => res.json(comments))
app.listen(4141, () => console.log('API: http://localhost:4141'))
