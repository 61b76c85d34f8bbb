document.querySelector('#join').addEventListener('click', (event) => { event.target.textContent = 'Welcome' })
