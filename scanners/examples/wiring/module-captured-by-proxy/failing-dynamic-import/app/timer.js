const { minutes } = await fetch('/settings').then((response) => response.json())
document.querySelector('#time').value = `${minutes}:00`
document.querySelector('#open').onclick = async () => {
  const { openPanel } = await import('./settings/panel.js')
  openPanel(minutes)
}
