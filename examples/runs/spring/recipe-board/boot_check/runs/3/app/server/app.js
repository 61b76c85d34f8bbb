import express from 'express'
import { openStore } from './store.js'

const app = express()
app.use(express.json())
app.use(express.static('dist'))

const store = await openStore()

app.get('/api/recipes', async (req, res, next) => {
  try {
    res.json(await store.all())
  } catch (err) {
    next(err)
  }
})

app.put('/api/recipes/:id/star', async (req, res) => {
  res.json(await store.star(Number(req.params.id)))
})

app.get('*', (req, res) => res.sendFile('index.html', { root: 'dist' }))
app.listen(process.env.PORT ?? 3803)
