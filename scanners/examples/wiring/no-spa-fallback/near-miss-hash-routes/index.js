import express from 'express'
const app = express()
app.use(express.static('static'))
app.get('/api/words', (req, res) => res.json(['ant', 'bee']))
app.listen(4224)
