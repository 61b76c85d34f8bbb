import { createServer } from 'node:http'

const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/json' }

createServer((request, response) => {
  if (request.url === '/dice') {
    response.writeHead(200, HEADERS).end(JSON.stringify({ eyes: 4 }))
  } else {
    response.writeHead(404, HEADERS).end('{}')
  }
}).listen({ port: 4436, host: 'localhost' })
