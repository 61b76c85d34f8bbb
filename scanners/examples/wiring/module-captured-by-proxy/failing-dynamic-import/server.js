import express from 'express'

let settings = { minutes: 25 }
const app = express()
app.use(express.json())
app.get('/settings', (req, res) => res.json(settings))
app.put('/settings', (req, res) => { settings = { ...settings, ...req.body }; res.json(settings) })
app.listen(4115, () => console.log('pomodoro api'))
