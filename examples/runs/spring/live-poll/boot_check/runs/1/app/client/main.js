import { fetchPolls, onVote } from './api.js'

const section = document.getElementById('polls')
const draw = async () => {
  const polls = await fetchPolls()
  section.innerHTML = polls.map((p) => `<h2>${p.question}</h2><pre>${JSON.stringify(p.votes)}</pre>`).join('')
}

onVote(draw)
draw()
