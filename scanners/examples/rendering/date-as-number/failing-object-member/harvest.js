import { spanOf } from './span.js'

const picked = ['2024-09-12', '2024-09-03', '2024-10-01'].map((day) => new Date(day))
const { from, to } = spanOf(picked)

document.getElementById('range').textContent = `${from.toLocaleDateString()} to ${to.toLocaleDateString()}`
