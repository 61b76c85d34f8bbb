import { api } from './api.js'
import { card } from './card.js'

const board = document.querySelector('.board')

api.recipes().then((recipes) => {
  board.innerHTML = recipes.length ? recipes.map(card).join('') : '<p>No recipes yet</p>'
})
