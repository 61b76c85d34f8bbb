const server = 'http://localhost:4172'
const votes: Record<string, number> = await fetch(`${server}/votes`).then((r) => r.json())
document.querySelector('output')!.value = `${votes.yes} : ${votes.no}`
