import express from 'express'
import { open } from './db.js'

const db = open()
const app = express()
app.use(express.static('public'))
app.get('/api/recipes', (req, res) => res.json(db.prepare('SELECT name FROM recipes').all()))
app.listen(4321)
