import { dishes } from './menu.js'

document.querySelector('ul').textContent = dishes.join()
