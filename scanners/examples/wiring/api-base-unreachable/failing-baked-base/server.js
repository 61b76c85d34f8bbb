import express from 'express'
import cors from 'cors'
const app = express()
app.use(cors())
app.get('/api/plans', (req, res) => res.json(['attic']))
app.use(express.static('dist'))
app.listen(process.env.PORT || 4408)
