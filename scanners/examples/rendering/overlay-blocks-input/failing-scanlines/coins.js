let credits = 0
document.getElementById('start').addEventListener('click', () => {
  credits += 1
  document.getElementById('status').textContent = `${credits} credits`
})
