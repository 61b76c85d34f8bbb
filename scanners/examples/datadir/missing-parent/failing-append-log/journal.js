const { appendFileSync } = require('fs')
const express = require('express')

const FILE = './journal/2024/entries.jsonl'
const app = express()
app.use(express.json())
app.get('/', (req, res) => res.send('<!doctype html><button onclick="fetch(\'/save\', { method: \'POST\' })">Save</button>'))
app.post('/save', (req, res) => {
  appendFileSync(FILE, JSON.stringify(req.body) + '\n')
  res.sendStatus(201)
})
app.listen(4446)
