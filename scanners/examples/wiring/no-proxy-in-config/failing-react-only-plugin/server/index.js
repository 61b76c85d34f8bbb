import express from 'express'

const app = express()
app.use(express.json())
app.get('/api/cards', (req, res) => {
  res.json([{ id: 1, title: 'Ship it', column: 'doing' }])
})
app.listen(4146, () => console.log('Kanban API listening on 4146'))
