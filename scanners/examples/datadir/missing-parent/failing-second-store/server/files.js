import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const INCOMING = resolve('files/incoming')

export const keep = (name, text) => writeFile(join(INCOMING, name), text)
