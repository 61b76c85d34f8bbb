document.querySelector('ul').append(...(await (await fetch('/api/parks')).json()))
