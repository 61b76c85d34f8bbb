document.querySelector('ul').append(...(await (await fetch('/api/boats')).json()))
