const express = require('express')
const app = express()
app.use(express.json())

const films = [{ title: 'Stalker', stars: 5 }]
app.get('/api/films', (req, res) => res.json(films))
app.post('/api/films', (req, res) => { films.push(req.body); res.status(201).json(req.body) })

app.listen(4181, () => console.log('films on 4181'))
