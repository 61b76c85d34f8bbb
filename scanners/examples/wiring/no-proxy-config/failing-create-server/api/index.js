import express from 'express'

export function startApi(port) {
  const todos = []
  const app = express()
  app.use(express.json())
  app.get('/todos', (req, res) => res.json(todos))
  app.post('/todos', (req, res) => { todos.push(req.body); res.status(201).json(req.body) })
  return new Promise((resolve) => app.listen(port, resolve))
}
