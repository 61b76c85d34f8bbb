import { spawn } from 'node:child_process'

const run = (...command) => spawn(command[0], command.slice(1), { stdio: 'inherit' })

run('node', 'server/index.js')
run('npx', 'vite')
