const express = require('express')
const cors = require('cors')

const app = express()
app.get('/weather', (req, res) => res.json({ sky: 'clear' }))
app.use(cors())
app.listen(4411)
