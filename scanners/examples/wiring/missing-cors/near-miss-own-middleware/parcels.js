const parcels = await (await fetch('http://127.0.0.1:4176/parcels')).json()
document.querySelector('ul').textContent = parcels.map((p) => p.code).join()
