export function clamp(day, first, last) {
  const at = Math.max(first, Math.min(day, last))
  return new Date(at)
}

export function later(day) {
  let found = day.setDate(day.getDate() + 7)
  found = new Date(found)
  return found
}
