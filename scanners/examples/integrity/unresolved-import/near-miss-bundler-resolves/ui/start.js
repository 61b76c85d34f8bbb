import { card } from './card'

document.querySelector('main').append(card('glass'))
