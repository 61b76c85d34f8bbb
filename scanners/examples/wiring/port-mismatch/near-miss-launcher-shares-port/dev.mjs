import { spawn } from 'node:child_process'

const env = { ...process.env, API_PORT: process.env.API_PORT ?? '4131' }

const run = (command, ...args) => spawn(command, args, { env, stdio: 'inherit' })

run('node', 'cards/server.js')
run('npx', 'vite', '--port', '5231')
