const { now } = await (await fetch('/api/clock')).json()
document.querySelector('time').textContent = new Date(now).toISOString()
