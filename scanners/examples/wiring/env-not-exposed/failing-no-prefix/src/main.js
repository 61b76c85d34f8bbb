import { get } from './api.js'
document.querySelector('ul').append(...(await get('/plants')))
