import { JSONFilePreset } from 'lowdb/node'

export const store = await JSONFilePreset('db/votes.json', { votes: [] })
