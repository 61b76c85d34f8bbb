export function sort(socks) {
  const pairs = new Map()
  // ... rest of the code remains the same
  return pairs
}
sort([])
