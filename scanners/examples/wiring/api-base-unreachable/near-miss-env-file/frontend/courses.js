const { VITE_API_URL: base } = import.meta.env

export const add = (name) => fetch(`${base}/courses`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }),
})
const courses = await fetch(new URL('/courses', base)).then((r) => r.json())
document.querySelector('ul').textContent = courses.map((c) => c.name).join()
