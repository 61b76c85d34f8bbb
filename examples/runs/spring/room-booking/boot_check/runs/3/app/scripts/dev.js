import { spawn } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const bin = path.join(root, 'node_modules/vite/bin/vite.js')

const processes = [
  spawn(process.execPath, ['server/index.js'], { cwd: root, stdio: 'inherit' }),
  spawn(process.execPath, [bin, '--port', '5111'], { cwd: path.join(root, 'client'), stdio: 'inherit' }),
]

for (const child of processes) {
  child.on('exit', () => processes.forEach((other) => other.kill()))
}
