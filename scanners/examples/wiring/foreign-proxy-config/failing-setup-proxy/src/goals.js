const goals = await fetch('/api/goals').then((r) => r.json())
document.querySelector('ul').append(...goals)
