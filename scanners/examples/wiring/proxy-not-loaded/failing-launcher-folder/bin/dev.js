const { spawn } = require('node:child_process')
const path = require('node:path')

const root = path.resolve(__dirname, '..')
const vite = path.join(root, 'node_modules', '.bin', 'vite')

const children = [
  spawn('node', ['backend/server.js'], { cwd: root, stdio: 'inherit' }),
  spawn(vite, [], { cwd: path.join(root, 'frontend'), stdio: 'inherit' }),
]

process.on('SIGINT', () => children.forEach((child) => child.kill()))
