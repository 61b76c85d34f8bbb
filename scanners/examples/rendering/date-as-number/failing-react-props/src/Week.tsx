export function Week({ start }: { start: any }) {
  return <p>Week of {start.toISOString().slice(0, 10)}</p>
}
