const words = await_words()
async function await_words() { return (await fetch('/api/words')).json() }
const show = async () => {
  const word = location.hash.replace(/^#\//, '')
  document.querySelector('main').textContent = word || (await words).join(', ')
}
addEventListener('hashchange', show)
show()
