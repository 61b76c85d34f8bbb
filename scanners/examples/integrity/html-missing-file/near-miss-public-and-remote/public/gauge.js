document.querySelector('p').textContent = '4 mm'
