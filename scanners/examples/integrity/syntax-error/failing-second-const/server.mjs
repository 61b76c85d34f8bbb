import express from 'express'

const port = 4801
const app = express()
app.get('/tags', (request, response) => response.json([]))

const port = process.env.PORT || 4801
app.listen(port)
