const units = await fetch('/api/units').then((r) => r.json())
document.querySelector('select').innerHTML = units.map((unit) => `<option>${unit}`).join('')
