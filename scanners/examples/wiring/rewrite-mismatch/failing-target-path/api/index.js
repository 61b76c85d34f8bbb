import express, { Router } from 'express'

const v1 = Router()
v1.get('/cities', (req, res) => { res.json(['Turku']) })

const app = express()
app.use('/v1', v1)
app.listen(4182)
