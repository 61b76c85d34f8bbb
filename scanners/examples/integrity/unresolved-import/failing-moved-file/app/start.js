import { card } from './card.js'

document.querySelector('main').append(card('1d red'))
