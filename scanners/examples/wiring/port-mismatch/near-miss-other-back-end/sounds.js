import express from 'express'
import cors from 'cors'
const app = express()
app.use(cors())
app.get('/song', (request, response) => { response.json({ song: 'tec tec' }) })
app.listen(4462)
