const offers = ['Tomato', 'Borage', 'Kale']

document.getElementById('offers').innerHTML = offers.map((name) => `
  <div class="offer">
    <h2>${name}</h2>
    <button class="take" data-name="${name}">Take</button>
    <div class="shade" style="position: absolute; inset: 0"></div>
  </div>`).join('')

document.querySelectorAll('.take').forEach((button) => {
  button.addEventListener('click', () => { button.textContent = 'Taken' })
})
