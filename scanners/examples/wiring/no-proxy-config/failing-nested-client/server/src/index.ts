import express from 'express'
import { router } from './feed'

const app = express()
app.use('/api', router)
app.listen(4143)
