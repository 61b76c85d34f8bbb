import { mergeConfig } from 'vite'
import base from './build/base.js'

export default mergeConfig(base, { root: 'ui', server: { port: 5250 } })
