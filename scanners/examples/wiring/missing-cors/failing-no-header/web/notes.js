const API = 'http://localhost:4171/api/notes';

async function show() {
  const notes = await (await fetch(API)).json();
  document.querySelector('.notes').innerHTML = notes.map((n) => `<p data-id="${n.id}">${n.text}</p>`).join('');
}

show();
