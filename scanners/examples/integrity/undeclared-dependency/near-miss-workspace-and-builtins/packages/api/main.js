import { createServer } from 'node:http'
import os from 'os'
import { trees } from '@orchard/trees'
import { names } from '#names'

createServer((_, res) => res.end(trees.join() + names.join() + os.EOL)).listen(4822)
