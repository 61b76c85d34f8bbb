import express from 'express'
const app = express()
app.get('/api/habits', (_req, res) => res.json([{ name: 'Read', days: 12 }]))
app.listen(process.env.API_PORT ?? 4116)
