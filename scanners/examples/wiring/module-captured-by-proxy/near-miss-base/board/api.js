export const flights = async () => (await fetch('/api/flights')).json()
