import express from 'express'
import lessons from './lessons.js'

const app = express()
app.use('/lessons', lessons)
app.listen(4183)
