for (const list of await (await fetch('/api/lists')).json()) document.querySelector('ul').append(list.join())
