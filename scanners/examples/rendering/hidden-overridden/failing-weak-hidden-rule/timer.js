const byId = (id) => document.getElementById(id)
const steps = byId('steps')

byId('done').addEventListener('click', () => {
  steps.toggleAttribute('hidden', true)
})
