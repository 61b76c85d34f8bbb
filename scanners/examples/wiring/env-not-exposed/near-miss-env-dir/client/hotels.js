const { VITE_API_URL } = import.meta.env
document.querySelector('ul').append(...(await (await fetch(`${VITE_API_URL}/hotels`)).json()))
