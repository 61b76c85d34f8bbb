document.querySelector('ul')!.append(...((await (await fetch('/api/gigs')).json()) as string[]))
