export function showForm(api: string): void {
  const form = document.querySelector('form')!
  form.hidden = false
  form.onsubmit = () => fetch(`${api}/auth/login`, { method: 'POST' }) as never
}
