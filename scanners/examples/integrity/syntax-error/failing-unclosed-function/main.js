const place = document.getElementById('tide')

export function show(level) {
  if (level > 2) {
    place.textContent = 'high'
