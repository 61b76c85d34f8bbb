const limit = Number(process.env.JOB_LIMIT)
const jobs: string[] = await fetch(`${import.meta.env.PUBLIC_API}/jobs`).then((r) => r.json())
document.querySelector('ul')!.append(...jobs.slice(0, limit))
