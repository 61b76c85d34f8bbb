import fs from 'node:fs'
fs.mkdirSync('run/pg', { recursive: true })
