import cors from 'cors'
import express from 'express'
import { polls } from './polls.js'
import { subscribe, publish } from './events.js'

const app = express()
app.use(cors())
app.use(express.json())

app.get('/api/polls', async (req, res) => res.json(await polls.list()))
app.post('/api/polls/:id/vote', async (req, res) => {
  const poll = await polls.vote(req.params.id, req.body.option)
  publish('vote', poll)
  res.json(poll)
})
app.get('/api/events', subscribe)

app.listen(3817, () => console.log('Poll server on 3817'))
