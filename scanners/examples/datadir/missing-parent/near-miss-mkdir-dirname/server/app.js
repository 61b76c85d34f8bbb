import express from 'express'
import { openDatabase } from './database.js'

const db = openDatabase()
const app = express()
app.get('/api/tasks', (req, res) => res.json(db.prepare('SELECT * FROM tasks').all()))
app.listen(4310)
