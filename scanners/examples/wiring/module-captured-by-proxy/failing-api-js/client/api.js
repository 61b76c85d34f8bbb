const BASE = '/api'

export const fetchPolls = () => fetch(`${BASE}/polls`).then((res) => res.json())

export const vote = (id, choice) =>
  fetch(`${BASE}/polls/${id}/vote`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ choice }),
  }).then((res) => res.json())
