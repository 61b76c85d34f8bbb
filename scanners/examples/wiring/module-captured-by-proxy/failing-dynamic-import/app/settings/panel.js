export const openPanel = (minutes) => {
  const value = prompt('Minutes', minutes)
  if (value) fetch('/settings', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ minutes: +value }) })
}
