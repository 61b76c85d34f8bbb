import express from 'express'
import { API_PORT } from './address.js'

const app = express()
app.get('/api/songs', (req, res) => res.json([{ title: 'Blue' }]))
app.listen(API_PORT)
