const folders: string[] = await (await fetch('/api/folders')).json()
const file: { id: string } = await (await fetch('/api/files/1')).json()
document.querySelector('ul')!.append(...folders, file.id)
