import { showForm } from './auth-form'

const api = 'http://localhost:4113'
const me = await fetch(api + '/api/me').then((r) => r.json())
document.getElementById('who')!.textContent = me.name
if (me.name === 'guest') showForm(api)
