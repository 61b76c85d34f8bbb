const departures = [new Date('2024-11-02T21:04:00Z'), new Date('2024-11-02T23:40:00Z')]
const last = Math.max(...departures)
const format = new Intl.DateTimeFormat('en', { timeStyle: 'short', timeZone: 'UTC' })

document.getElementById('last').textContent = `${format.format(last)}, ${last.toLocaleString()}, ${last.toString()}`
document.getElementById('hours').textContent = ((last - departures[0]) / 36e5).toFixed(1)
