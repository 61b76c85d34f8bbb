import { mkdirSync } from 'node:fs'

mkdirSync('state', { recursive: true })
