import logo from './brand/logo.svg'

document.querySelector('img').src = logo
document.querySelector('h1').textContent = (await fetch('/brand/name').then((r) => r.json())).name
