const { sky } = await fetch('http://localhost:4411/weather').then((r) => r.json())
document.querySelector('p').textContent = sky
