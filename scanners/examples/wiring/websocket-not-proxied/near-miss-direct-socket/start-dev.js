const { spawn } = require('child_process')
spawn(process.execPath, ['game/server.js'], { stdio: 'inherit' })
spawn('npx vite', { stdio: 'inherit', shell: true })
