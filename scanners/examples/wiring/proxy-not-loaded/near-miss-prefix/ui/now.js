const { place, degrees } = await fetch('/v2/weather').then((r) => r.json());
document.title = place;
document.getElementById('now').textContent = `${degrees}°`;
