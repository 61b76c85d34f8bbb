const [city] = await fetch('/api/cities').then((r) => r.json())
const flags = await fetch('/data/flags.json').then((r) => r.json())
document.querySelector('p').textContent = `${city} ${flags[city]}`
