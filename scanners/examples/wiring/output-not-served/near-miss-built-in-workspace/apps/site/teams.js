document.querySelector('ol').append(...(await (await fetch('/api/teams')).json()))
