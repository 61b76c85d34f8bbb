interface Ride { from: string; to: string }
const rides: Ride[] = await (await fetch('/api/rides')).json()
document.body.append(rides.map((ride) => `${ride.from} - ${ride.to}`).join())
