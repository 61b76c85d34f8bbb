export default { test: { environment: 'node' } }
