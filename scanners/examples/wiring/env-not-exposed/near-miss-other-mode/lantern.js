import express from 'express'
import cors from 'cors'
const app = express()
app.use(cors())
app.get('/glow', (request, response) => { response.json('soft') })
app.listen(4466)
