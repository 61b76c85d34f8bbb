async function show() {
  const question = await (await fetch('/api/question')).json()
  document.querySelector('blockquote').textContent = question?.body ?? 'No question'
}

show()
