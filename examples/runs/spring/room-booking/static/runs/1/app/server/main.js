import express from 'express'
import { prepareStore } from './store.js'

const store = await prepareStore()
const app = express()
app.use(express.json())

app.get('/api/desks', async (req, res) => res.json(await store.desks()))
app.put('/api/desks/:id', async (req, res) => res.json(await store.book(req.params.id, req.body.by)))

app.listen(3813, () => console.log('Desk API on 3813'))
