import { existsSync } from 'node:fs'
import path from 'node:path'
import express from 'express'
const app = express()
app.get('/api/times', (request, response) => { response.json(['9:10']) })
const built = path.resolve('dist')
if (existsSync(built)) app.use(express.static(built))
app.listen(4465)
