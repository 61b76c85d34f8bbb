import { API } from '../backend/address.js'

/** Shared by the app and the component playground. */
const base = {
  server: { proxy: Object.fromEntries(['/api', '/covers'].map((key) => [key, API])) },
}

export default base
