const meals: string[] = await fetch('/api/meals').then((r) => r.json())
document.querySelector('ul')!.append(...meals)
