const birds = await fetch(`${import.meta.env.VITE_API_URL}/api/birds`).then((r) => r.json())
document.querySelector('ul').append(...birds)
