import fs from 'node:fs'
import path from 'node:path'

const DATA = path.join(process.cwd(), 'data')
export const UPLOADS = path.join(DATA, 'uploads')
export const DATABASE = path.join(DATA, 'db', 'main')

fs.mkdirSync(UPLOADS, { recursive: true })
