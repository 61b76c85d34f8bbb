import express from 'express'
const app = express()
app.get('/api/trees', (request, response) => { response.json(['plum']) })
app.listen(4464)
