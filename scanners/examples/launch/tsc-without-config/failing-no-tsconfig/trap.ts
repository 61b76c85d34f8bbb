document.querySelector('p')!.textContent = '0 moths'
