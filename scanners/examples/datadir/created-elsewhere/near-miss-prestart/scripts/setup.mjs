import { mkdir } from 'node:fs/promises'
import { DATA } from '../data-folder.mjs'

await mkdir(DATA, { recursive: true })
