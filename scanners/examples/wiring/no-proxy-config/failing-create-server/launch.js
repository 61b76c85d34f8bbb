import { createServer } from 'vite'
import { startApi } from './api/index.js'

await startApi(4142)

const server = await createServer({
  configFile: false,
  root: 'site',
  server: { port: 5242 },
})
await server.listen()
server.printUrls()
