require('dotenv').config()
const express = require('express')

const app = express()
const port = Number(process.env.PORT) || 4122
app.get('/api/guests', (req, res) => res.json([{ name: 'Noor', seats: 2 }]))
app.listen(port, () => console.log('guests on', port))
