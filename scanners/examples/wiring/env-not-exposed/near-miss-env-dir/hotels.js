import express from 'express'
import cors from 'cors'
const app = express()
app.use(cors())
app.get('/api/hotels', (req, res) => res.json(['Astoria']))
app.listen(4284)
