import path from 'node:path'

export const STATE = path.resolve(import.meta.dirname, '..', 'state')
export const WALL = path.join(STATE, 'wall', 'pg')
