const headers = { 'Content-Type': 'application/json' }
document.forms[0].onsubmit = async (event) => {
  event.preventDefault()
  await fetch('/todos', { method: 'POST', headers, body: JSON.stringify({ text: document.forms[0].text.value }) })
}
for (const { text } of await (await fetch('/todos')).json()) document.querySelector('ul').append(text)
