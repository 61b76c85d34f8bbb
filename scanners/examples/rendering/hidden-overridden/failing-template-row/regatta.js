const boats = [{ name: 'Plover', late: false }, { name: 'Dunlin', late: true }]

document.querySelector('#boats').innerHTML = boats
  .map((boat) => `<li>${boat.name} <em class="late" style="display: inline-block" ${boat.late ? '' : 'hidden'}>late</em></li>`)
  .join('')
