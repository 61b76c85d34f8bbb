import { wool, shade } from './all.js'

console.log(wool, shade)
