import { spawn } from 'node:child_process'

for (const [command, ...args] of [['node', 'stops/server.js'], ['npx', 'vite']]) {
  spawn(command, args, { stdio: 'inherit' }).on('exit', () => process.exit())
}
