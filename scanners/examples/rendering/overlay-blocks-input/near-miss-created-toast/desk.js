document.querySelector('#next').addEventListener('click', () => {
  const box = document.createElement('div')
  box.className = 'lightbox'
  box.textContent = 'Number 14, please'
  document.body.append(box)
  setTimeout(() => box.remove(), 1500)
})
