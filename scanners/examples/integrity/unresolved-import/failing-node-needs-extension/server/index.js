import express from 'express'
import { rates } from './rates'

const app = express()
app.get('/rates', (req, res) => res.json(rates))
app.listen(4811)
