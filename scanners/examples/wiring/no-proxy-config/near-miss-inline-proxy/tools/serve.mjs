import { createServer } from 'vite'
import express from 'express'

const port = 4145
express().get('/api/clock', (req, res) => { res.json({ now: Date.now() }) }).listen(port)

const vite = await createServer({
  configFile: false,
  root: new URL('../page', import.meta.url).pathname,
  server: { port: 5245, proxy: { '/api': `http://localhost:${port}` } },
})
await vite.listen()
