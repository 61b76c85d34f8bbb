'use strict'

const { createWriteStream } = require('fs')
const express = require('express')

const log = createWriteStream(`${__dirname}/logs/access.log`, { flags: 'a' })
const app = express()

app.use((req, res, next) => {
  log.write(`${new Date().toISOString()} ${req.method} ${req.url}\n`)
  next()
})
app.use(express.static(`${__dirname}/www`))
app.get('/hello', (req, res) => res.json({ hello: 'world' }))
app.listen(4306)
