const { question, answers } = await fetch('/api/poll').then((res) => res.json())
document.querySelector('h1').textContent = question
document.querySelector('ul').innerHTML = answers.map(({ answer, n }) => `<li>${answer}: ${n}</li>`).join('')
