import express, { type Request, type Response } from 'express'

type Task = { id: number; text: string; done: boolean }
const tasks: Task[] = [{ id: 1, text: 'water plants', done: false }]

const app = express()
app.use(express.json())
app.get('/api/tasks', (_: Request, res: Response) => { res.json(tasks) })
app.put('/api/tasks/:id', (req: Request, res: Response) => {
  const task = tasks.find((t) => t.id === Number(req.params.id))
  if (!task) { res.sendStatus(404); return }
  Object.assign(task, req.body)
  res.json(task)
})
app.listen(Number(process.env.PORT ?? 4105))
