import express from 'express'
import { API_PORT } from './ports.js'
const app = express()
app.get('/rest/cups', (req, res) => { res.json({ cups: 3 }) })
app.listen(API_PORT)
