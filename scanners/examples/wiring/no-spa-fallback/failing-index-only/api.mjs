import express from 'express'

const app = express()
app.get('/api/items/:id', (req, res) => { res.json({ id: req.params.id }) })
app.use('/assets', express.static('dist/assets'))
app.get('/', (req, res) => { res.sendFile('index.html', { root: 'dist' }) })
app.listen(4222)
