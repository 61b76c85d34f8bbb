const alarms = await fetch('/api/alarms').then((r) => r.json())
document.querySelector('ul').append(...alarms)
