import express from 'express'
import { Level } from 'level'
import Datastore from '@seald-io/nedb'

const words = new Level('var/store/words', { valueEncoding: 'json' })
const log = new Datastore({ filename: 'var/logs/changes.db', autoload: true })

const app = express()
app.use(express.json())
app.get('/', (req, res) => { res.type('html').send('<!doctype html><script type="module">console.log(await (await fetch("/words")).json())</script>') })
app.get('/words', async (req, res) => { res.json(await words.keys().all()) })
app.post('/words', async (req, res) => {
  await words.put(req.body.w, { at: Date.now() })
  await log.insertAsync({ word: req.body.w })
  res.status(201).json({})
})
app.listen(4312)
