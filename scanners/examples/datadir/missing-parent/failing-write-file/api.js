const fs = require('node:fs/promises')
const path = require('node:path')
const express = require('express')

const FOLDER = path.resolve('storage', 'notes')
const app = express()
app.use(express.json())

app.get('/api/notes', async (req, res) => {
  const names = await fs.readdir(FOLDER).catch(() => [])
  res.json(names)
})

app.post('/api/notes', async (req, res) => {
  await fs.writeFile(path.join(FOLDER, `${req.body.id}.txt`), req.body.text)
  res.status(201).end()
})

app.listen(4304)
