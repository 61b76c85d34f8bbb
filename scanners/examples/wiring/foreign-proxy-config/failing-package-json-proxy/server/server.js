import express from 'express'
const app = express()
app.get('/api/workouts', (req, res) => res.json([{ lift: 'squat', kg: 80 }]))
app.listen(4265)
