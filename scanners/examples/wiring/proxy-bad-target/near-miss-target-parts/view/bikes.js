const bikes = await (await fetch('/api/bikes')).json()
document.querySelector('ul').textContent = bikes.map((bike) => bike.id).join()
