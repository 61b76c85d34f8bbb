const leads: { company: string }[] = await fetch('/api/leads').then((r) => r.json())
document.querySelector('ul')!.textContent = leads.map((lead) => lead.company).join()
