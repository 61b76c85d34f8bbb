import express from 'express'
import cors from 'cors'

const app = express()
app.use(cors())
app.get('/api/pets', (req, res) => res.json([{ name: 'Rex' }]))

const PORT = 4161
app.listen(PORT, () => console.log(`Server on ${PORT}`))
