const base = import.meta.env.VITE_API_BASE || ''
fetch(`${base}/api/plans`).then((r) => r.json()).then((plans) => document.querySelector('ul').append(...plans))
