import express from 'express'
import cors from 'cors'

const app = express()
app.use(cors())
app.use(express.json())

const polls = [{ id: 1, question: 'Tabs or spaces?', votes: [3, 5] }]

app.get('/api/polls', (req, res) => res.json(polls))
app.post('/api/polls/:id/vote', (req, res) => {
  polls[0].votes[req.body.choice] += 1
  res.json(polls[0])
})

app.listen(4111, () => console.log('http://localhost:4111'))
