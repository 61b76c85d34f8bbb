const desk = document.getElementById('desk')

function button(label, onClick) {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = 'entry'
  made.textContent = label
  made.addEventListener('click', onClick)
  return made
}

function addStars() {
  const stars = document.createElement('div')
  stars.classList.add('stars')
  desk.append(stars)
}

const note = document.createElement('button')
note.className = 'note'
note.textContent = 'Note the sighting'
note.onclick = () => { note.textContent = 'Noted' }
desk.appendChild(note)
desk.appendChild(button('Clear', () => { note.textContent = 'Note the sighting' }))
addStars()
