import { api } from './api.js'
document.querySelector('ul').append(...(await api('/moods')))
