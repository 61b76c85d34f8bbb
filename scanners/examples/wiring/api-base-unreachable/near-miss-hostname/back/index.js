import express from 'express'
import { PORT } from '../front/shared.js'

const app = express()
app.use((request, response, next) => {
  response.header('Access-Control-Allow-Origin', request.headers.origin ?? '*')
  next()
})
app.get('/api/bins', (request, response) => { response.json({ next: 'paper' }) })
app.listen(PORT)
