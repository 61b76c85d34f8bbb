export const spanOf = (days) => {
  const from = Math.min(...days)
  const to = Math.max(...days)
  return { from, to }
}
