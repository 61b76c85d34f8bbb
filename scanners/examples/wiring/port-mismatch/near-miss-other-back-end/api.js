import express from 'express'
const app = express()
app.get('/api/birds', (request, response) => { response.json(['wren']) })
app.listen(4461)
