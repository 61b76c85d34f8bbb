import { priceList } from './prices.js'

document.querySelector('table').dataset.count = priceList.length
