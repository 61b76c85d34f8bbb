import { tooLong } from '../shared/rules.js'

const limits = await fetch('/shared/limits').then((r) => r.json())
const area = document.querySelector('textarea')
area.oninput = () => area.setCustomValidity(tooLong(area.value, limits) ? 'Too long' : '')
