const titles: string[] = await fetch('/books/all').then((r) => r.json())
document.querySelector('ol')!.append(...titles)
