import express from 'express'
import { createServer } from 'vite'

const api = express()
api.get('/api/boats', (req, res) => { res.json(['Ada']) })
api.listen(4275)

const ui = await createServer({
  configFile: false,
  root: 'ui',
  server: { port: 5375, strictPort: true, proxy: { '/api': { target: 'http://127.0.0.1:4275' } } },
})
await ui.listen()
