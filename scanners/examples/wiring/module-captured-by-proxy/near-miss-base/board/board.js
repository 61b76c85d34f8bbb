import { flights } from './api.js'
document.querySelector('ul').append(...(await flights()))
