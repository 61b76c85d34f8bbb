export const fetchPolls = () => fetch('/api/polls').then((res) => res.json())

export function onVote(callback) {
  const source = new EventSource('/api/events')
  source.addEventListener('vote', callback)
  return () => source.close()
}
