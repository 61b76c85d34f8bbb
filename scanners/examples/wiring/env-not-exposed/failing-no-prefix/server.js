import express from 'express'
import cors from 'cors'
const app = express()
app.use(cors())
app.get('/plants', (req, res) => res.json(['basil']))
app.listen(4281)
