import express from 'express'

const app = express()
app.get('/media/list', (_, res) => res.json([]))
app.listen(4114, '127.0.0.1')
