import express from 'express'
import { store } from './store.js'

const app = express()
app.use(express.json(), express.static('page'))
app.get('/votes', (req, res) => { res.json(store.data.votes) })
app.post('/votes', async (req, res) => {
  store.data.votes.push(req.body.option)
  await store.write()
  res.status(201).json(store.data.votes)
})
app.listen(4305)
