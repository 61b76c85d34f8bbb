document.querySelector('p')!.textContent = 'empty'
