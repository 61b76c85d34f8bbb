import express from 'express'
import cors from 'cors'

const app = express()
app.use(cors({ origin: 'http://localhost:5264', credentials: true }))
app.use(express.json())
const courses = [{ name: 'Rust' }]
app.get('/courses', (req, res) => res.json(courses))
app.post('/courses', (req, res) => res.status(201).json(req.body))
app.listen(process.env.PORT ?? 4164)
