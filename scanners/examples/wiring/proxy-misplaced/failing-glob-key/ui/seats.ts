const rows: number[][] = await (await fetch('/api/seats')).json()
for (const row of rows) document.querySelector('table')!.insertRow().textContent = row.join(' ')
