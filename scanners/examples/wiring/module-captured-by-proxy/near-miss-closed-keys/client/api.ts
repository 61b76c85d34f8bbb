export const tickets = async () => (await (await fetch('/api/tickets')).json()) as { no: number; text: string }[]
