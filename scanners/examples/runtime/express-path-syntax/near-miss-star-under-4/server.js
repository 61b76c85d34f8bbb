import express from 'express'

const app = express()
app.get('/files/(.*)', (req, res) => res.send(req.params[0]))
app.get('*', (req, res) => res.send('home'))
app.listen(4884)
