import { tools } from './api-tools.js'
document.querySelector('ul').append(...(await tools()))
