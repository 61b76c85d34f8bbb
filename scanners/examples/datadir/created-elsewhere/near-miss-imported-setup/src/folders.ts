import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

export const RUN = join(process.cwd(), 'run')
mkdirSync(RUN, { recursive: true })
