const ul = document.querySelector('ul')
for (const { subject } of await fetch('/api/lessons').then((r) => r.json())) ul.append(subject)
