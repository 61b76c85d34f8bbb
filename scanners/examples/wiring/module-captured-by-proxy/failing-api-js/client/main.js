import { fetchPolls, vote } from './api.js'

const section = document.querySelector('#polls')

async function render() {
  const polls = await fetchPolls()
  section.innerHTML = polls.map((p) => `<button data-id="${p.id}">${p.question}</button>`).join('')
  section.querySelectorAll('button').forEach((b) => b.addEventListener('click', () => vote(b.dataset.id, 0).then(render)))
}

render()
