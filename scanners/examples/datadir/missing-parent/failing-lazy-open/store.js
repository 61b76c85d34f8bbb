import { PGlite } from '@electric-sql/pglite'

let opening

async function open() {
  const store = await PGlite.create('garden/data/seeds')
  await store.exec('CREATE TABLE IF NOT EXISTS seeds (name TEXT)')
  return store
}

export const getStore = () => (opening ??= open())
