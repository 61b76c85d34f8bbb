const worker = new Worker(new URL('./sync-worker.js', import.meta.url), { type: 'module' })
const area = document.querySelector('textarea')

worker.onmessage = ({ data }) => { area.value = data.join('\n') }
area.addEventListener('change', () => worker.postMessage(area.value))
