const base = import.meta.env.VITE_API_URL ?? ''
const scores = await (await fetch(base + '/scores')).json()
document.querySelector('#scores').append(...scores.map((s) => `${s.player} ${s.points}`))
