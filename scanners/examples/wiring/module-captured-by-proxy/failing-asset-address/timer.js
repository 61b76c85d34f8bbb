const bell = new Audio(new URL('./sounds/bell.mp3', import.meta.url))
document.querySelector('button').onclick = () => bell.play()
const names = await fetch('/sounds/list').then((r) => r.json())
document.querySelector('button').title = names.join()
